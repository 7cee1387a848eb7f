/**
 * The environment of a process that is measured. Node reads the certificates of `NODE_EXTRA_CA_CERTS` whenever it
 * starts, which doubles the start of Node 20 and would hide what the start of Reprise costs.
 */
export function measuredEnvironment(
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | undefined>> {
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  return { ...inherited, ...own }
}
