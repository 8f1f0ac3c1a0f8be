// The worker's side of a session: loads one kernel, maps memory and runs calls until the driver is
// gone.
#pragma once

#include <string>

namespace assay {

// `socket` is the driver's SEQPACKET socket. Returns the process's exit status.
int serve_kernel(const std::string& kernel, int socket);

// Exit statuses that the driver explains.
inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerLostDriver = 97;  // the socket failed while the driver was there
inline constexpr int kWorkerBadPacket = 98;

}  // namespace assay
