//! What each command does, once it is clear what is meant.

pub mod account;
pub mod attack_hetero_rr;
pub mod attack_poison;
pub mod audit;
pub mod data_convert;
pub mod data_fetch;
pub mod data_generate;
pub mod data_info;
pub mod data_list;
pub mod demo;
pub mod dprr_data;
pub mod embed;
mod people;
pub mod protect;
pub mod publish;
mod release_folder;
pub mod reproduce;
pub mod run_dpar;
pub mod run_dprr;
pub mod run_hetero_rr;
pub mod run_ldp_ge;
mod trial;
pub mod tune;
pub mod verify;
