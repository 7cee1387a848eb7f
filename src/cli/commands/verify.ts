/** `reprise verify <tape>`: checks a tape against itself. A judging command: exits 2 on a finding. */
import { RepriseError } from '../../errors/index.ts'
import type { Finding } from '../../tape/findings.ts'
import type { TapeVerdict } from '../../tape/verify.ts'
import { type Command, type CommandInput, flagOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { readPublicKey } from '../read-public-key.ts'

export const verify: Command = {
  name: 'verify',
  arguments: '<tape>',
  help: 'check a tape and the tapes of its children: lines, hashes, payloads, order, seal',
  options: [
    { flags: '--key <file>', help: 'the Ed25519 public key (PEM) that must have signed the seal' },
    jsonOption,
  ],
  tapes: 'first',
  async run(input) {
    const { verifyTree } = await import('../../tape/verify-tree.ts')
    const path = input.arguments[0] ?? ''
    const { isCassette } = await import('../../cassette/files/read-folder.ts')
    if (isCassette(path)) return (await import('./cassette-verify.ts')).verifyAndPrint(input, path)
    const keyFile = textOption(input, 'key')
    const { children, ...own } = await verifyTree(
      path,
      keyFile === undefined ? {} : { publicKey: await trustedKey(keyFile) },
    )
    const verdict = withCassettes(own, await cassettes(path))
    if (flagOption(input, 'json')) {
      input.output.json(children.length === 0 ? verdict : { ...verdict, children })
    } else {
      for (const child of children) printVerdict(input, `child ${child.name}`, child, `${child.name}: `)
      printVerdict(
        input,
        path,
        verdict,
        '',
        keyFile !== undefined && verdict.ok ? ', signed with this key' : '',
      )
    }
    return verdict.ok ? EXIT.fine : EXIT.finding
  },
}

function printVerdict(input: CommandInput, name: string, verdict: TapeVerdict, place = '', more = ''): void {
  for (const finding of verdict.findings) printFinding(input, finding, place)
  if (verdict.more > 0) input.output.line(`${place}and ${verdict.more} more`)
  input.output.line(
    `${name}: ${verdict.ok ? 'whole' : 'not whole'}, ${verdict.records} records, ${verdict.sealed ? 'sealed' : 'not sealed'}${more}`,
    verdict.ok ? 'good' : 'bad',
  )
}

/** A tape with terminals is whole only with their cassettes. */
async function cassettes(path: string): Promise<Finding[]> {
  const { verifyCassettes } = await import('../../testbench/terminal/tape-cassettes.ts')
  const findings: Finding[] = []
  for await (const finding of verifyCassettes(path)) findings.push(finding)
  return findings
}

function withCassettes(verdict: TapeVerdict, more: readonly Finding[]): TapeVerdict {
  return {
    ...verdict,
    ok: verdict.ok && more.every(({ severity }) => severity === 'note'),
    findings: [...verdict.findings, ...more],
  }
}

function printFinding(input: CommandInput, finding: Finding, place: string): void {
  const isNote = finding.severity === 'note'
  input.output.line(`${isNote ? 'note' : 'finding'}: ${place}${sentence(finding)}`, isNote ? 'dim' : 'bad')
}

function sentence({ code, line, seq, message }: Finding): string {
  const place = [line === null ? null : `line ${line}`, seq === null ? null : `record ${seq}`]
    .filter((part) => part !== null)
    .join(', ')
  return `${place === '' ? '' : `${place}: `}${message} [${code}]`
}

function trustedKey(file: string): Promise<string> {
  const hint = 'give an Ed25519 key in PEM'
  return readPublicKey(
    file,
    (cause) => new RepriseError('usage', `${file} holds no public key`, { hint, cause }),
  )
}
