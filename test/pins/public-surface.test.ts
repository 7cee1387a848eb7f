/** The public surface, held as literals: a change here is a change for users, and belongs into the CHANGELOG. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/output.ts'
import { errorCodes } from '../../src/errors/index.ts'
import { kinds } from '../../src/tape/kinds.ts'
import { version } from '../../src/tape/version.ts'

const root = new URL('../../', import.meta.url).pathname
const manifest: { version: string; exports: Record<string, unknown> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test('exit codes', () => {
  expect(EXIT).toEqual({ fine: 0, couldNot: 1, finding: 2, usage: 64, reprise: 125 })
})

test('the version on tapes is the version of the package', () => {
  expect(version).toBe(manifest.version)
})

test('every error code is in docs/errors.md, and nothing else is', () => {
  const documented = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code)
  expect([...documented].sort()).toEqual([...errorCodes].sort())
})

test('every error code is used by the source', () => {
  const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('errors/codes'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n')
  expect(errorCodes.filter((code) => !source.includes(`'${code}'`))).toEqual([])
})

test('every kind of record, with every field, is in docs/format/tape-v1.md', () => {
  const page = readFileSync(join(root, 'docs/format/tape-v1.md'), 'utf8')
  const missing: string[] = []
  for (const [kind, fields] of Object.entries(kinds)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`))
    if (row === undefined) missing.push(kind)
    for (const { wire } of Object.values(fields)) if (row !== undefined && !row.includes(`\`${wire}\``)) missing.push(`${kind}.${wire}`)
  }
  expect(missing).toEqual([])
})

describe('what each entry point exports', () => {
  const load = (how: string): string[] =>
    JSON.parse(execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', how], { cwd: root, encoding: 'utf8' }))

  test.each([
    [
      'reprise/state',
      'HANDOFF_KEY MAX_COMPONENT_BYTES MAX_KEY_BYTES MAX_SESSION_BYTES RepriseError activeSession checkSessionId initState isRepriseError listSessions normaliseKey parseConflictPolicy resumeState withSession',
    ],
    [
      'reprise/tape',
      'EventTape MAX_INLINE_BYTES TAPE_FORMAT_VERSION TapeWriter activeRecorder casFolder casReferences contentHash createHeader createStreamingRecorder createTapeRecorder encodeRecord enterPhase inspectTape installRecorder kindName payloadsOf prepareBlake3 readCasEntry readTape readTapeEvents realClock rebuildRequest recordMcpJsonRpc repairTape requestBytes runWithRecorder scrubTape selectRecords tapeSchema upstreamKinds verifyTape withActiveRecorder',
    ],
    ['reprise/scrub', 'createScrubber holdsPlaceholder isPlaceholder normalisePlaceholders'],
    [
      'reprise/journal',
      'categories categoryOfKind createExtendedView createFold csvHeader csvRow decodeEvent emptyOsSnapshot eventCategory eventKindNames eventPrimitive extendedView fold importLog isKernelOsEvent isKnownEvent isKnownKind openAuditInput openJournal openPostgresJournal otlpDocument parseOsSnapshot parseSessionEvent primitiveOfCategory primitiveOfKind primitives readJournal rebuildOsSnapshot sessionFiles sessionLogHasRequiredCategories verifyJournal withCategory',
    ],
    [
      'reprise/fidelity',
      'alignments annotationKinds annotationRow checkAnnotations compare compareTapes fidelityModes formatReport frictionEvent headline jsonDifferences judge loadAnnotations parseAlignment parseBudget parseFormat parseMode printScore reportFormats tapeFile warningSentence',
    ],
  ])('%s', (entry, names) => {
    expect(load(`console.log(JSON.stringify(Object.keys(await import('${entry}')).sort()))`)).toEqual(names.split(' '))
  })

  test('all of them can be imported and required', () => {
    const entries = Object.keys(manifest.exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => entry.replace(/^\./, 'reprise'))
    const loaded = load(`
      import { createRequire } from 'node:module'
      const require = createRequire(${JSON.stringify(join(root, 'package.json'))})
      const same = []
      for (const entry of ${JSON.stringify(entries)}) {
        const imported = await import(entry)
        if (Object.keys(require(entry)).length === Object.keys(imported).length) same.push(entry)
      }
      console.log(JSON.stringify(same))`)
    expect(loaded).toEqual(entries)
  })
})
