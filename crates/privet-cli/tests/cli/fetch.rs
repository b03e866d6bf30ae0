//! `privet data fetch`: without a network, by way of a mirror on this machine.
