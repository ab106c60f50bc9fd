//! Labels of a server's series that name a machine: told apart, and no longer named.

use crate::model::ServerDump;
use std::collections::BTreeMap;

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

/// The dump with `host-1`, `host-2`, … in place of the machines that its labels name, so that series stay
/// apart as they were. What is masked already stays as it is.
#[must_use]
pub fn without_hosts(mut dump: ServerDump) -> ServerDump {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let labels = dump.dump.series.iter_mut().flat_map(|series| &mut series.labels);
    for (label, value) in labels {
        let names = names_host(label);
        if !names || value.is_empty() || value.starts_with("host-") {
            continue;
        }
        let number = known.len() + 1;
        let masked = known.entry(value.clone()).or_insert_with(|| format!("host-{number}"));
        value.clone_from(masked);
    }
    dump
}

/// Whether a label or setting of this name names a machine.
pub(super) fn names_host(name: &str) -> bool {
    NAMES.contains(&name.to_ascii_lowercase().as_str())
}
