// Keeps names and messages that others have written into a cluster from steering the terminal of
// whoever reads them.
#pragma once

#include <streambuf>
#include <string>

namespace scaledcache::controller {

// Writes to another buffer, which must outlive it: text, line ends, tabs and colours as they are,
// other control characters and escape sequences in caret notation, such as ^[ for escape.
class TerminalBuffer : public std::streambuf {
 public:
  explicit TerminalBuffer(std::streambuf& terminal) : terminal_(terminal) {}

  TerminalBuffer(const TerminalBuffer&) = delete;
  TerminalBuffer& operator=(const TerminalBuffer&) = delete;
  ~TerminalBuffer() override;

 protected:
  int_type overflow(int_type next) override;
  int sync() override;

 private:
  void take(char next);
  // What may yet become a colour, or the second byte of a control character, is held back.
  [[nodiscard]] bool goes_on(char next) const;
  void give_up();
  void write(char c);

  std::streambuf& terminal_;
  std::string held_;
};

}  // namespace scaledcache::controller
