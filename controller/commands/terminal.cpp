#include "controller/commands/terminal.h"

namespace scaledcache::controller {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBeforeControls = '\xc2';  // U+0080 to U+009F are control characters as well
constexpr std::size_t kLongestColour = 16;

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == '\x7f';
}

bool is_second_of_control(char c) {
  return static_cast<unsigned char>(c) >= 0x80 && static_cast<unsigned char>(c) < 0xa0;
}

}  // namespace

TerminalBuffer::~TerminalBuffer() {
  give_up();
  terminal_.pubsync();
}

TerminalBuffer::int_type TerminalBuffer::overflow(int_type next) {
  if (!traits_type::eq_int_type(next, traits_type::eof())) {
    take(traits_type::to_char_type(next));
  }
  return traits_type::not_eof(next);
}

int TerminalBuffer::sync() {
  return terminal_.pubsync();
}

void TerminalBuffer::take(char next) {
  if (!held_.empty()) {
    if (goes_on(next)) {
      held_ += next;
      return;
    }
    if (held_.size() > 1 && next == 'm') {
      terminal_.sputn(held_.data(), static_cast<std::streamsize>(held_.size()));
      terminal_.sputc(next);
      held_.clear();
      return;
    }
    if (held_.front() == kBeforeControls && is_second_of_control(next)) {
      held_.clear();
      terminal_.sputc('?');
      return;
    }
    give_up();
  }
  if (next == kEscape || next == kBeforeControls) {
    held_ = next;
  } else {
    write(next);
  }
}

bool TerminalBuffer::goes_on(char next) const {
  if (held_.front() != kEscape || held_.size() >= kLongestColour) {
    return false;
  }
  return held_.size() == 1 ? next == '[' : (next >= '0' && next <= '9') || next == ';';
}

void TerminalBuffer::give_up() {
  for (const char c : held_) {
    write(c);
  }
  held_.clear();
}

void TerminalBuffer::write(char c) {
  if (is_control(c)) {
    terminal_.sputc('^');
    c = static_cast<char>(c ^ 0x40);
  }
  terminal_.sputc(c);
}

}  // namespace scaledcache::controller
