//! Labels of a server's series, and settings of a run, that name a machine.

/// Labels that name a machine, as Prometheus, Kubernetes and the engines write them.
const NAMES: [&str; 20] = [
    "instance",
    "host",
    "hostname",
    "host_name",
    "node",
    "nodename",
    "node_name",
    "machine",
    "server",
    "server_address",
    "address",
    "addr",
    "ip",
    "pod_ip",
    "endpoint_url",
    "url",
    "pod",
    "pod_name",
    "kubernetes_pod_name",
    "kubernetes_node",
];

/// Whether a label or setting of this name names a machine.
pub(super) fn names_host(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let own = name.strip_prefix("exported_").unwrap_or(&name);
    NAMES.contains(&own) || own.ends_with("_ip") || own.ends_with("_host")
}
