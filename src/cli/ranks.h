// Ranks: the processes of `mpirun -n N assay certify`, where Assay was built with -DASSAY_MPI=ON.
// Rank 0 hands out cases and keeps the record; the others run cases. Without MPI there is one rank.
#pragma once

#include <memory>
#include <string>

#include "src/record/rank_pool.h"

namespace assay {

class Ranks {
 public:
  // Starts MPI where mpirun started this process.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool several() const { return count_ > 1; }

  // Of rank 0: what run_profile serves the others by. Null where there are none.
  CaseServer* server() { return server_.get(); }
  // Of the other ranks. `what` must be that of rank 0: kernel and profile by their digests.
  RankLink link(const std::string& what);
  // Of rank 0: refuses ranks that run something else.
  void expect(const std::string& what) { what_ = what; }
  // Ends every rank at once, after an error that one of them has met.
  void abandon(int exit_code);

 private:
  int rank_ = 0, count_ = 1;
  std::string what_;
  std::unique_ptr<CaseServer> server_;
};

}  // namespace assay
