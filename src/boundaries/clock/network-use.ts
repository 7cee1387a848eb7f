/** Whether the program has used the network: only then may a clock read come from Node's bundled undici, and only then is the caller looked at. */
let used = false

export function noteNetworkUse(): void {
  used = true
}

export function hasUsedNetwork(): boolean {
  return used
}
