/** Starts the Chromium of the machine for tests and benchmarks of the viewer, without its own services. */
import { type Browser, chromium } from 'playwright-core'

/** It resolves no name but loopback, so that even its own services reach nothing. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}
