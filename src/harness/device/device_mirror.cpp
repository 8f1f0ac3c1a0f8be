#include "src/harness/device/device_mirror.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "src/harness/memory/address_space.h"

namespace assay {
namespace {

constexpr Index kLargeBlock = Index{64} << 20;
constexpr Index kWord = sizeof(std::uint64_t);
constexpr int kMostStraysInHoles = 16;

std::byte* host(const DeviceImage& image) {
  return reinterpret_cast<std::byte*>(image.host.region);
}

bool on_host(const CallRecord& record, Area area) {
  return record.offsets_on_host != 0 && (area == Area::kOffsets || area == Area::kSizes);
}

// What the entries of a pointer array point into.
std::optional<Area> target_of(Area area) {
  for (const Role role : kAllRoles) {
    if (area == pointers_of(role)) { return area_of(role); }
    if (area == scale_pointers_of(role)) { return scales_of(role); }
  }
  return std::nullopt;
}

const DeviceImage* image_of(const MirroredCall& call, Area area) {
  const auto found = std::ranges::find(call.images, area, &DeviceImage::area);
  return found == call.images.end() ? nullptr : &*found;
}

// Moves the pointers of an array from one region to another; others stay as they are.
void rebase(std::byte* array, Index bytes, std::uint64_t from, std::uint64_t to, Index reach) {
  for (Index at = 0; at + kWord <= bytes; at += kWord) {
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, array + at, kWord);
    if (pointer < from || pointer - from > static_cast<std::uint64_t>(reach)) { continue; }
    pointer = pointer - from + to;
    std::memcpy(array + at, &pointer, kWord);
  }
}

// The parts of a block that its image does not cover.
std::vector<DeviceBlock> rests_of(const DeviceImage& image) {
  std::vector<DeviceBlock> rests;
  const auto below = static_cast<Index>(image.base - image.block.address);
  const Index above = image.block.bytes - below - image.host.region_bytes;
  if (below > 0) { rests.push_back({image.block.address, below}); }
  if (above > 0) {
    rests.push_back({image.base + static_cast<std::uint64_t>(image.host.region_bytes), above});
  }
  return rests;
}

}  // namespace

DeviceMirror::~DeviceMirror() {
  for (const auto& [key, kept] : kept_) { device_.unmap(kept.block); }
  if (staging_.bytes > 0) { device_.unmap(staging_); }
  if (aside_.bytes > 0) { device_.unmap(aside_); }
}

void DeviceMirror::forget(std::uint64_t region) {
  for (const bool flush_high : {false, true}) {
    const auto found = kept_.find({region, flush_high});
    if (found == kept_.end()) { continue; }
    device_.unmap(found->second.block);
    kept_.erase(found);
  }
}

void DeviceMirror::drop_large() {
  for (auto it = kept_.begin(); it != kept_.end();) {
    const bool large = it->second.block.bytes > kLargeBlock;
    if (large) { device_.unmap(it->second.block); }
    it = large ? kept_.erase(it) : std::next(it);
  }
  if (aside_.bytes > kLargeBlock) {
    device_.unmap(aside_);
    aside_ = {};
  }
}

Status DeviceMirror::grow(DeviceBlock& block, Index bytes) {
  if (block.bytes >= bytes) { return {}; }
  if (block.bytes > 0) { device_.unmap(block); }
  block = {};
  const auto larger = device_.map(bytes);
  ASSAY_TRY(larger);
  block = *larger;
  return {};
}

Result<DeviceBlock> DeviceMirror::block_for(const AreaRecord& area, bool flush_high) {
  const auto found = kept_.find({area.region, flush_high});
  if (found != kept_.end() && found->second.region_bytes == area.region_bytes) {
    return found->second.block;
  }
  if (found != kept_.end()) {
    device_.unmap(found->second.block);
    kept_.erase(found);
  }
  auto block = device_.map(area.region_bytes);
  if (block) { kept_[{area.region, flush_high}] = {*block, area.region_bytes}; }
  return block;
}

Result<MirroredCall> DeviceMirror::place(const CallRecord& record) {
  MirroredCall call{.record = record};
  const auto addresses = addresses_of(call.record);
  for (int i = 0; i < kAreas; ++i) {
    const AreaRecord& area = record.areas[i];
    if (area.region == 0 || on_host(record, static_cast<Area>(i))) { continue; }
    const auto block = block_for(area, record.flush_high != 0);
    ASSAY_TRY(block);
    DeviceImage image{.area = static_cast<Area>(i), .host = area, .block = *block};
    image.base = block->address;
    if (record.flush_high != 0) {
      image.base += static_cast<std::uint64_t>(block->bytes - area.region_bytes);
    }
    std::uint64_t& address = *addresses[i];
    // An operand may be handed over as none although it has a region.
    if (address != 0) { address = address - area.region + image.base; }
    call.images.push_back(std::move(image));
  }
  return call;
}

Status DeviceMirror::upload_image(const MirroredCall& call, const DeviceImage& image, int stream,
                                  DeviceAddress to) {
  const auto target = target_of(image.area);
  if (!target) { return device_.upload(stream, to, host(image), image.host.region_bytes); }
  std::vector<std::byte> bytes(host(image), host(image) + image.host.region_bytes);
  if (const DeviceImage* const pointee = image_of(call, *target)) {
    rebase(bytes.data() + image.host.begin, image.host.extent, pointee->host.region, pointee->base,
           pointee->host.region_bytes);
  }
  Status status = device_.upload(stream, to, bytes.data(), image.host.region_bytes);
  if (status) {
    status = device_.wait(stream);  // `bytes` ends here
  }
  return status;
}

Status DeviceMirror::upload_sparse(DeviceImage& image, int stream) {
  const RegionFile file{fd_, static_cast<Index>(image.host.region - kFirstWindow),
                        image.host.region_bytes};
  Status status = device_.fill(stream, image.block.address, image.block.bytes);
  image.pages.clear();
  for (Index at = file.next_data(0); status && at < file.bytes;) {
    const Index end = file.next_hole(at);
    image.pages.push_back({at, end});
    status = device_.upload(stream, image.base + static_cast<std::uint64_t>(at), host(image) + at,
                            end - at);
    at = file.next_data(end);
  }
  return status;
}

Status DeviceMirror::upload(MirroredCall& call, int stream) {
  for (DeviceImage& image : call.images) {
    const Status status = image.host.sparse != 0 ? upload_sparse(image, stream)
                                                 : upload_image(call, image, stream, image.base);
    if (!status) { return status; }
  }
  return device_.wait(stream);
}

Status DeviceMirror::stage(const MirroredCall& call, int stream) {
  Index bytes = 0;
  for (const DeviceImage& image : call.images) {
    if (image.host.sparse != 0) { return make_error("a sparse operand cannot come late"); }
    bytes += image.host.region_bytes;
  }
  Status status = grow(staging_, bytes);
  DeviceAddress at = staging_.address;
  for (const DeviceImage& image : call.images) {
    if (status) { status = upload_image(call, image, stream, at); }
    if (status) { status = device_.fill(stream, image.base, image.host.region_bytes); }
    at += static_cast<std::uint64_t>(image.host.region_bytes);
  }
  return status ? device_.wait(stream) : status;
}

Status DeviceMirror::arrive_late(const MirroredCall& call, int stream, double seconds) {
  Status status = device_.hold(stream, seconds);
  DeviceAddress at = staging_.address;
  for (const DeviceImage& image : call.images) {
    if (status) { status = device_.copy(stream, image.base, at, image.host.region_bytes); }
    at += static_cast<std::uint64_t>(image.host.region_bytes);
  }
  return status;
}

Status DeviceMirror::set_aside(MirroredCall& call, int stream) {
  const DeviceImage* const image = image_of(call, call.record.output);
  if (image == nullptr) { return {}; }
  Status status = grow(aside_, image->host.region_bytes);
  if (status) {
    status = device_.copy(stream, aside_.address, image->base, image->host.region_bytes);
  }
  call.initial = aside_.address;
  return status;
}

Result<oracle::Matrix> DeviceMirror::locate(const MirroredCall& call, const OperandMatrix& matrix) {
  const DeviceImage* const image = image_of(call, matrix.area);
  const bool aside = matrix.initial != 0;
  if (image == nullptr || (aside && (call.initial == 0 || matrix.area != call.record.output))) {
    return make_error("no such operand lies on a device");
  }
  const Index bytes = shape(matrix.format).size_bytes;
  const Index last =
      matrix.first + (matrix.rows - 1) * matrix.row_stride + (matrix.cols - 1) * matrix.col_stride;
  if (matrix.first < 0 || (last + 1) * bytes > image->host.extent) {
    return make_error("a matrix leaves its operand");
  }
  const DeviceAddress first = (aside ? call.initial : image->base) +
                              static_cast<DeviceAddress>(image->host.begin + matrix.first * bytes);
  return oracle::Matrix{.data = reinterpret_cast<const void*>(first),
                        .format = matrix.format,
                        .rows = matrix.rows,
                        .cols = matrix.cols,
                        .row_stride = matrix.row_stride,
                        .col_stride = matrix.col_stride};
}

Status DeviceMirror::download_image(const MirroredCall& call, const DeviceImage& image,
                                    int stream) {
  if (image.host.sparse == 0) {
    Status status = device_.download(stream, host(image), image.base, image.host.region_bytes);
    const auto target = target_of(image.area);
    const DeviceImage* const pointee = target ? image_of(call, *target) : nullptr;
    if (!status || pointee == nullptr) { return status; }
    status = device_.wait(stream);
    rebase(host(image) + image.host.begin, image.host.extent, pointee->base, pointee->host.region,
           pointee->host.region_bytes);
    return status;
  }
  for (const PageRange& range : image.pages) {
    const Status status = device_.download(stream, host(image) + range.begin,
                                           image.base + static_cast<std::uint64_t>(range.begin),
                                           range.end - range.begin);
    if (!status) { return status; }
  }
  return download_holes(image, stream);
}

// A word that was written where the host has no memory gives it memory there, other than zero.
Status DeviceMirror::download_holes(const DeviceImage& image, int stream) {
  std::vector<DeviceBlock> holes;
  Index at = 0;
  const auto add_hole = [&](Index end) {
    if (end > at) { holes.push_back({image.base + static_cast<std::uint64_t>(at), end - at}); }
  };
  for (const PageRange& range : image.pages) {
    add_hole(range.begin);
    at = range.end;
  }
  add_hole(image.host.region_bytes);
  for (int stray = 0; stray < kMostStraysInHoles; ++stray) {
    const auto found = device_.first_written(holes);
    ASSAY_TRY(found);
    if (*found == 0) { return {}; }
    const DeviceAddress word_at = *found / kWord * kWord;
    std::uint64_t word = 0;
    Status status = device_.download(stream, reinterpret_cast<std::byte*>(&word), word_at, kWord);
    if (status) { status = device_.fill(stream, word_at, kWord); }
    if (status) { status = device_.wait(stream); }
    if (!status) { return status; }
    word ^= kDeviceFillWord;
    std::memcpy(host(image) + (word_at - image.base), &word, kWord);
  }
  return {};
}

Status DeviceMirror::download(const MirroredCall& call, int stream) {
  for (const DeviceImage& image : call.images) {
    if (Status status = download_image(call, image, stream); !status) { return status; }
  }
  return device_.wait(stream);
}

Result<std::uint64_t> DeviceMirror::first_stray(std::span<const MirroredCall> calls) {
  std::vector<DeviceBlock> rests;
  for (const MirroredCall& call : calls) {
    for (const DeviceImage& image : call.images) {
      for (const DeviceBlock& rest : rests_of(image)) { rests.push_back(rest); }
    }
  }
  const auto written = device_.first_written(rests);
  if (!written || *written == 0) { return written; }
  for (const DeviceBlock& rest : rests) {
    if (Status status = device_.fill(0, rest.address, rest.bytes); !status) {
      return tl::unexpected(status.error());
    }
  }
  for (const MirroredCall& call : calls) {
    for (const DeviceImage& image : call.images) {
      const std::uint64_t distance = *written - image.block.address;
      if (distance >= static_cast<std::uint64_t>(image.block.bytes)) { continue; }
      return image.host.region + (*written - image.base);
    }
  }
  return *written;
}

}  // namespace assay
