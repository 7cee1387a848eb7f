/**
 * `reprise audit verify <file>`: is the journal whole? Chain, signatures, cut tail, numbers. A judging
 * command: exits 2 on a finding.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, flagOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { readPublicKey } from '../read-public-key.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  arguments: '<file>',
  help: 'check a journal: lines, numbers, checkpoints, signatures, cut tail',
  options: [
    { flags: '--public-key <file>', help: 'every checkpoint must be signed by this Ed25519 key (PEM)' },
    jsonOption,
  ],
  async run(input) {
    const { auditLabel, oneLog } = await import('../../journal/audit-place.ts')
    const { isDatabase } = await import('../../journal/postgres/place.ts')
    const path = oneLog(input.arguments[0] ?? '')
    if (isDatabase(path))
      throw new RepriseError('usage', `${auditLabel(path)}: a journal in a database has no lines to check`, {
        hint: 'reprise audit shows what is in it',
      })
    const keyPath = textOption(input, 'publicKey')
    const [{ verifyJournal }, { filesOf }, { readHead }, { fs }] = await Promise.all([
      import('../../journal/file/verify-journal.ts'),
      import('../../journal/audit-input.ts'),
      import('../../tape/reader.ts'),
      import('../../real/index.ts'),
    ])
    const files = filesOf(path)
    // A journal that was cut off whole leaves its checkpoints behind; that is a finding, not a missing file.
    if (fs.existsSync(path) || !fs.existsSync(files.checkpoints)) readHead(path, 1)
    const verdict = await verifyJournal(files, keyPath === undefined ? null : await trustedKey(keyPath))
    if (flagOption(input, 'json')) {
      const { unsealedLines, ...rest } = verdict
      input.output.json({ ...rest, unsealed_lines: unsealedLines })
    } else {
      for (const finding of verdict.findings) input.output.line(`${finding.code}: ${finding.message}`)
      if (verdict.found > verdict.findings.length)
        input.output.note(`${path}: ${verdict.found - verdict.findings.length} more findings`)
      const checkpoints = `${verdict.checkpoints} checkpoints${verdict.signed > 0 ? ` (${verdict.signed} signed)` : ''}`
      input.output.line(
        `${path}: ${verdict.ok ? 'whole' : `${verdict.found} findings`}, ${verdict.records} records, ${checkpoints}, ${verdict.unsealedLines} lines after the last one`,
      )
      if (verdict.repairs > 0)
        input.output.note(`${path}: its end was repaired ${verdict.repairs} times; see ${files.repairs}`)
      if (verdict.checkpoints === 0)
        input.output.note(`${path}: no checkpoints, so a cut tail would not show`)
      if (verdict.signed > 0 && keyPath === undefined)
        input.output.note(
          'the signatures are valid, but their key was not checked: name it with --public-key',
        )
    }
    return verdict.ok ? EXIT.fine : EXIT.finding
  },
}

function trustedKey(path: string): Promise<string> {
  const hint = 'make one with: openssl pkey -in key.pem -pubout'
  return readPublicKey(
    path,
    (cause) => new RepriseError('journal-key-invalid', `${path} is not a public key in PEM`, { cause, hint }),
  )
}
