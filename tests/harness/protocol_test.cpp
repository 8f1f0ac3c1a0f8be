#include "src/harness/process/protocol.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace assay {
namespace {

class Sockets : public testing::Test {
 protected:
  Sockets() { socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_); }
  ~Sockets() override {
    close(ends_[0]);
    if (ends_[1] >= 0) { close(ends_[1]); }
  }
  int ends_[2] = {-1, -1};
};

TEST_F(Sockets, CarryOnePacketAMessage) {
  PacketWriter first({PacketKind::kRun, 0, 7, 1});
  first.add(RunBody{3, {2}});
  first.add_text("tail");
  PacketWriter second({PacketKind::kDone, 0, 7, 1});
  ASSERT_TRUE(send_packet(ends_[0], first.bytes()));
  ASSERT_TRUE(send_packet(ends_[0], second.bytes()));
  const ReceivedPacket packet = receive_packet(ends_[1]);
  PacketReader reader(packet.bytes);
  const auto header = reader.take<PacketHeader>();
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, PacketKind::kRun);
  EXPECT_EQ(header->nonce, 7U);
  const auto body = reader.take<RunBody>();
  ASSERT_TRUE(body);
  EXPECT_EQ(body->records, 3);
  EXPECT_EQ(reader.take_text(), "tail");
  EXPECT_EQ(packet.fd, -1);
  EXPECT_EQ(receive_packet(ends_[1]).bytes.size(), sizeof(PacketHeader));
}

TEST_F(Sockets, CarryADescriptor) {
  const int memory = memfd_create("assay-protocol-test", MFD_CLOEXEC);
  ASSERT_EQ(write(memory, "sent", 4), 4);
  const PacketWriter packet({PacketKind::kMap, 0, 0, 0});
  ASSERT_TRUE(send_packet(ends_[0], packet.bytes(), memory));
  close(memory);
  const ReceivedPacket received = receive_packet(ends_[1]);
  ASSERT_GE(received.fd, 0);
  char text[4] = {};
  EXPECT_EQ(pread(received.fd, text, 4, 0), 4);
  EXPECT_EQ(std::string(text, 4), "sent");
  close(received.fd);
}

TEST_F(Sockets, SayWhenTheOtherEndIsGone) {
  close(ends_[1]);
  ends_[1] = -1;
  const PacketWriter packet({PacketKind::kStart, 0, 0, 0});
  EXPECT_FALSE(send_packet(ends_[0], packet.bytes()));
  EXPECT_TRUE(receive_packet(ends_[0]).bytes.empty());
}

TEST(PacketReader, RefusesWhatIsTooShort) {
  const std::vector<std::byte> bytes(sizeof(PacketHeader) - 1);
  EXPECT_FALSE(PacketReader(bytes).take<PacketHeader>());
}

}  // namespace
}  // namespace assay
