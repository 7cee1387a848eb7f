/**
 * For every test file: Node reads the file that this variable names at each start, which takes three times as
 * long as the start itself. The tests start Node hundreds of times, and none speaks TLS to a stranger.
 */
delete process.env.NODE_EXTRA_CA_CERTS
