// Ends the worker, keeps it from answering, talks in its name, or leaves processes behind.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include "tests/harness/plugins/naive.h"
#include "tests/hostile/attacks.h"

namespace hostile {
namespace {

constexpr int kSocket = 3;  // the driver's
constexpr unsigned kSeconds = 600;

// The parent of a process, 0 where there is none.
pid_t parent_of(pid_t pid) {
  char path[64], line[512];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) { return 0; }
  line[std::fread(line, 1, sizeof line - 1, file)] = '\0';
  std::fclose(file);
  const char* const end = std::strrchr(line, ')');
  int parent = 0;
  return end != nullptr && std::sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

// As an exception.
template <class Exception>
[[noreturn]] void end_with(const Exception& exception) {
  std::rethrow_exception(std::make_exception_ptr(exception));
}

int leaves_a_process(const assay_call* call) {
  if (is_first_call() && fork() == 0) {
    setsid();
    sleep(kSeconds);
    _exit(0);
  }
  return multiply(call);
}

int leaves_a_daemon(const assay_call* call) {
  if (is_first_call() && fork() == 0) {
    setsid();
    if (fork() == 0) { sleep(kSeconds); }
    _exit(0);
  }
  return multiply(call);
}

int leaves_another_program(const assay_call* call) {
  if (is_first_call() && fork() == 0) {
    setsid();
    execlp("sleep", "sleep", "600", static_cast<char*>(nullptr));
    _exit(1);
  }
  return multiply(call);
}

int leaves_fifty_processes(const assay_call* call) {
  for (int i = 0; is_first_call() && i < 50; ++i) {
    if (fork() != 0) { continue; }
    sleep(kSeconds);
    _exit(0);
  }
  return multiply(call);
}

int closes_descriptors(const assay_call* call) {
  for (int fd = 0; fd < 1024; ++fd) { close(fd); }
  return multiply(call);
}

int replaces_the_socket(const assay_call* call) {
  const int null = open("/dev/null", O_RDWR);
  dup2(null, kSocket);
  close(null);
  return multiply(call);
}

int writes_to_the_socket(const assay_call* call) {
  return write(kSocket, "hello", 5) < 0 ? ASSAY_ERROR : multiply(call);
}

int forges_a_packet(const assay_call* call) {
  const char packet[4096] = {};
  for (int i = 0; i < 100; ++i) {
    if (write(kSocket, packet, sizeof packet) < 0) { break; }
  }
  return multiply(call);
}

int exits(const assay_call* call) {
  multiply(call);
  std::exit(0);
}

int exits_at_once(const assay_call* call) {
  multiply(call);
  _exit(77);
}

int ends_its_thread(const assay_call* call) {
  multiply(call);
  pthread_exit(nullptr);
}

int jumps_out(const assay_call* call) {
  static jmp_buf nowhere;
  multiply(call);
  longjmp(nowhere, 1);
}

int aborts(const assay_call*) { std::abort(); }

int overflows_its_stack(const assay_call* call) {
  volatile char frame[64 << 20];
  for (std::size_t at = 0; at < sizeof frame; at += 4096) { frame[at] = 1; }
  return multiply(call);
}

int throws_an_error(const assay_call*) { end_with(std::runtime_error("no\033[31m luck")); }

int throws_a_number(const assay_call*) { end_with(5); }

int throws_much_text(const assay_call*) {
  end_with(std::runtime_error(std::string(std::size_t{16} << 20, 'x')));
}

int throws_for_want_of_memory(const assay_call*) { end_with(std::bad_alloc()); }

int throws_in_a_thread(const assay_call* call) {
  std::thread([] { end_with(std::runtime_error("in a thread")); }).join();
  return multiply(call);
}

int spins(const assay_call*) {
  for (volatile int turns = 0;;) {
    const int before = turns;
    turns = before + 1;
  }
}

int stops_itself(const assay_call* call) {
  raise(SIGSTOP);
  return multiply(call);
}

int leaves_its_session_and_waits(const assay_call*) {
  setpgid(0, 0);
  setsid();
  for (;;) { pause(); }
}

int prints_much(const assay_call* call) {
  static char text[1 << 20];
  std::memset(text, 'x', sizeof text);
  for (int i = 0; i < 64; ++i) {
    if (write(STDOUT_FILENO, text, sizeof text) < 0) { break; }
  }
  return multiply(call);
}

int prints_escapes_and_aborts(const assay_call*) {
  std::printf("\033]0;owned\007\033[2J\033[31mred\nPassed: all\n");
  std::fflush(stdout);
  std::abort();
}

int answers_with_escapes(const assay_call* call) {
  return naive_answer(call, ASSAY_ERROR, "\033]0;owned\007\033[2J\033[31mred\nPassed: all\r\tx");
}

int answers_without_an_end(const assay_call* call) {
  std::memset(call->message, 'a', call->message_bytes);
  return ASSAY_ERROR;
}

int answers_what_is_no_status(const assay_call* call) {
  multiply(call);
  return 42;
}

int stops_its_parent(const assay_call* call) {
  kill(getppid(), SIGSTOP);
  return multiply(call);
}

int kills_its_parent(const assay_call* call) {
  kill(getppid(), SIGKILL);
  pause();
  return multiply(call);
}

int kills_the_driver(const assay_call* call) {
  kill(parent_of(getppid()), SIGKILL);
  pause();
  return multiply(call);
}

int opens_its_parents_memory(const assay_call* call) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/mem", getppid());
  const int fd = open(path, O_RDWR);
  if (fd >= 0) { close(fd); }
  return multiply(call);
}

constexpr Attack kAttacks[] = {
    {"leaves_a_process", leaves_a_process},
    {"leaves_a_daemon", leaves_a_daemon},
    {"leaves_another_program", leaves_another_program},
    {"leaves_fifty_processes", leaves_fifty_processes},
    {"closes_descriptors", closes_descriptors},
    {"replaces_the_socket", replaces_the_socket},
    {"writes_to_the_socket", writes_to_the_socket},
    {"forges_a_packet", forges_a_packet},
    {"exits", exits},
    {"exits_at_once", exits_at_once},
    {"ends_its_thread", ends_its_thread},
    {"jumps_out", jumps_out},
    {"aborts", aborts},
    {"overflows_its_stack", overflows_its_stack},
    {"throws_an_error", throws_an_error},
    {"throws_a_number", throws_a_number},
    {"throws_much_text", throws_much_text},
    {"throws_for_want_of_memory", throws_for_want_of_memory},
    {"throws_in_a_thread", throws_in_a_thread},
    {"spins", spins},
    {"stops_itself", stops_itself},
    {"leaves_its_session_and_waits", leaves_its_session_and_waits},
    {"prints_much", prints_much},
    {"prints_escapes_and_aborts", prints_escapes_and_aborts},
    {"answers_with_escapes", answers_with_escapes},
    {"answers_without_an_end", answers_without_an_end},
    {"answers_what_is_no_status", answers_what_is_no_status},
    {"stops_its_parent", stops_its_parent},
    {"kills_its_parent", kills_its_parent},
    {"kills_the_driver", kills_the_driver},
    {"opens_its_parents_memory", opens_its_parents_memory},
};

}  // namespace

std::span<const Attack> attacks_on_process() { return kAttacks; }

}  // namespace hostile
