// Socket options for connections that live long.
#pragma once

namespace scaledcache::http {

// Keeps a half-open TCP connection from being used: 30 s of silence, then three probes, and 30 s
// for bytes that nobody acknowledges. An option that the system refuses is left out.
void keep_alive(int socket);

}  // namespace scaledcache::http
