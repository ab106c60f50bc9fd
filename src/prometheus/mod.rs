//! Prometheus: how exposition text and its relatives are read, what the servers' metrics mean, and what
//! two scrapes or a range of them can and cannot say.
