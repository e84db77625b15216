"""Real HTTP caches as processes: what Debian 12 packages, each with the configuration that a user of
it would write to have its answers tell hits from misses. Envoy and Traefik are not packaged.

All pass on the visitor's Host header: an origin that writes it into its sitemap would else name itself.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .errors import RigError

# What scripts/setup does not install: the tests of these caches skip themselves without it.
PACKAGES = {
    "varnish": "varnish",
    "varnish-bare": "varnish",
    "nginx": "nginx-light",
    "squid": "squid",
    "trafficserver": "trafficserver",
    "haproxy": "haproxy",
    "haproxy-bare": "haproxy",
    "httpd": "apache2-bin",
}

_PROGRAMS = {
    "varnish": "varnishd",
    "nginx-light": "nginx",
    "squid": "squid",
    "trafficserver": "traffic_server",
    "haproxy": "haproxy",
    "apache2-bin": "apache2",
}


@dataclass(frozen=True)
class Place:
    """Where a cache runs: its folder for everything it writes, its address, its origin's address."""

    folder: Path
    host: str
    port: int
    origin: str  # host:port

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@dataclass(frozen=True)
class Command:
    argv: list[str]
    environment: dict[str, str]


def program(name: str) -> str | None:
    """The path of the program of the cache `name`, None where its package is not installed."""
    found = _PROGRAMS[PACKAGES[name]]
    return shutil.which(found, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def command(name: str, place: Place) -> Command:
    """Writes the configuration of the cache `name` and says how to start it in the foreground."""
    found = program(name)
    if not found:
        raise RigError(f"{name}: package {PACKAGES[name]} is not installed")
    place.folder.mkdir(parents=True, exist_ok=True)
    # Most of them give up root for a user of their own.
    place.folder.chmod(0o777)
    argv, environment = _MAKERS[name](place)
    return Command([found, *argv], os.environ | environment)


def _varnish(place: Place, deliver: str = "") -> tuple[list[str], dict]:
    host, port = place.origin.rsplit(":", 1)
    vcl = place.write(
        "default.vcl",
        f"""vcl 4.1;
backend default {{ .host = "{host}"; .port = "{port}"; }}
{deliver}""",
    )
    where = ["-F", "-n", str(place.folder / "work"), "-a", f"{place.host}:{place.port}", "-f", str(vcl)]
    return [*where, "-s", "malloc,32M", "-p", "thread_pools=1", "-p", "thread_pool_min=10"], {}


def _varnish_with_x_cache(place: Place) -> tuple[list[str], dict]:
    return _varnish(
        place,
        """sub vcl_deliver {
    if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; }
}
""",
    )


def _nginx(place: Place) -> tuple[list[str], dict]:
    temporary = "".join(
        f"  {kind}_temp_path {place.folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = place.write(
        "nginx.conf",
        f"""worker_processes 1;
daemon off;
pid {place.folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
  access_log off;
{temporary}  proxy_cache_path {place.folder}/cache keys_zone=pages:4m max_size=64m;
  server {{
    listen {place.host}:{place.port};
    location / {{
      proxy_pass http://{place.origin};
      proxy_set_header Host $host;
      proxy_cache pages;
      proxy_cache_lock on;
      proxy_cache_revalidate on;
      add_header X-Cache-Status $upstream_cache_status always;
    }}
  }}
}}
""",
    )
    return ["-e", "stderr", "-c", str(configuration)], {}


def _squid(place: Place) -> tuple[list[str], dict]:
    host, port = place.origin.rsplit(":", 1)
    configuration = place.write(
        "squid.conf",
        f"""http_port {place.host}:{place.port} accel defaultsite=www.example.com no-vhost
cache_peer {host} parent {port} 0 no-query no-digest originserver name=origin
http_access allow all
cache_peer_access origin allow all
never_direct allow all
cache_mem 32 MB
pid_filename {place.folder}/squid.pid
cache_log {place.folder}/cache.log
access_log none
coredump_dir {place.folder}
visible_hostname cache
shutdown_lifetime 0 seconds
pinger_enable off
""",
    )
    return ["-N", "-f", str(configuration)], {}


def _traffic_server(place: Place) -> tuple[list[str], dict]:
    folder = place.folder
    for name in ("log", "cache", "runtime"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name).chmod(0o777)
    settings = {
        "proxy.config.http.server_ports STRING": f"{place.port}:ip-in={place.host}",
        # 2 writes the codes that tell hits from misses; the default 0 writes no Via at all.
        "proxy.config.http.insert_response_via_str INT": "2",
        "proxy.config.url_remap.remap_required INT": "1",
        "proxy.config.url_remap.pristine_host_hdr INT": "1",
        "proxy.config.cache.ram_cache.size INT": "16777216",
        "proxy.config.exec_thread.autoconfig INT": "0",
        "proxy.config.exec_thread.limit INT": "2",
        "proxy.config.diags.debug.enabled INT": "0",
        "proxy.config.log.logging_enabled INT": "0",
        "proxy.config.admin.user_id STRING": "trafficserver",
    }
    place.write("etc/records.config", "".join(f"CONFIG {name} {value}\n" for name, value in settings.items()))
    place.write("etc/remap.config", f"map / http://{place.origin}/\n")
    place.write("etc/storage.config", f"{folder}/cache 64M\n")
    for name in ("ip_allow.yaml", "plugin.config", "cache.config", "hosting.config", "parent.config", "volume.config"):
        place.write(f"etc/{name}", "")
    place.write("etc/ip_allow.yaml", "ip_allow:\n  - {apply: in, ip_addrs: 0/0, action: allow, methods: ALL}\n")
    root = place.write(
        "runroot.yaml",
        f"""prefix: {folder}
exec_prefix: /usr
bindir: /usr/bin
sbindir: /usr/sbin
sysconfdir: {folder}/etc
datadir: {folder}/cache
libexecdir: /usr/lib/trafficserver/modules
libdir: /usr/lib/trafficserver
localstatedir: {folder}
runtimedir: {folder}/runtime
logdir: {folder}/log
cachedir: {folder}/cache
""",
    )
    return [f"--run-root={root}"], {}


def _haproxy(place: Place, after: str = "") -> tuple[list[str], dict]:
    configuration = place.write(
        "haproxy.cfg",
        f"""global
  maxconn 200
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
cache pages
  total-max-size 32
  max-object-size 131072
  max-age 3600
frontend http
  bind {place.host}:{place.port}
  http-request cache-use pages
  http-response cache-store pages
{after}  default_backend origin
backend origin
  server origin {place.origin}
""",
    )
    return ["-db", "-f", str(configuration)], {}


def _haproxy_with_header(place: Place) -> tuple[list[str], dict]:
    hit = "http-after-response set-header X-Cache-Status"
    return _haproxy(place, f"  {hit} HIT if {{ res.cache_hit }}\n  {hit} MISS if !{{ res.cache_hit }}\n")


def _httpd(place: Place) -> tuple[list[str], dict]:
    modules = "".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
        for name in ("mpm_event", "authz_core", "proxy", "proxy_http", "cache", "cache_disk")
    )
    (place.folder / "cache").mkdir(exist_ok=True)
    (place.folder / "cache").chmod(0o777)
    configuration = place.write(
        "httpd.conf",
        f"""{modules}ServerRoot {place.folder}
ServerName cache
Listen {place.host}:{place.port}
PidFile {place.folder}/httpd.pid
ErrorLog {place.folder}/error.log
User www-data
Group www-data
CacheRoot {place.folder}/cache
CacheEnable disk /
CacheHeader on
CacheQuickHandler on
ProxyPreserveHost On
ProxyPass / http://{place.origin}/
""",
    )
    return ["-D", "FOREGROUND", "-f", str(configuration)], {}


_MAKERS = {
    "varnish": _varnish_with_x_cache,
    "varnish-bare": _varnish,
    "nginx": _nginx,
    "squid": _squid,
    "trafficserver": _traffic_server,
    "haproxy": _haproxy_with_header,
    "haproxy-bare": _haproxy,
    "httpd": _httpd,
}
