/**
 * Runs that leave their tape on purpose, inside a process: `fork` and `whatIf`. Their guide is
 * `docs/guides/time-travel.md`.
 */
export { type ForkOptions, fork, type TravelResult, type WhatIfOptions, whatIf } from '../testbench/index.ts'
