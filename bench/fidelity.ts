/**
 * Comparing two tapes against reading both of them: 500,000 records each, equal, and with a hundred scattered
 * edits.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, tapeFile } from 'reprise/fidelity'
import { readTapeEvents } from 'reprise/tape'
import { alternate, verdict } from './measure.ts'

const RECORDS = 500_000
const EDITS = 100
const BLOCKS = 5

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    const [recorded, same, edited] = ['recorded', 'same', 'edited'].map((name) =>
      join(folder, `${name}.tape`),
    ) as [string, string, string]
    writeTape(recorded, 0)
    writeTape(same, 0)
    writeTape(edited, EDITS)
    console.log(
      `two tapes of ${RECORDS} records, ${Math.round(statSync(recorded).size / 1e6)} MB each, ${BLOCKS} blocks`,
    )
    await ratios(recorded, same, 'equal', 0)
    await ratios(recorded, edited, `with ${EDITS} edits`, EDITS)
    verdict('comparing equal tapes, resident MB', residentMb(recorded, same), 300, 'at most')
    verdict(`comparing tapes with ${EDITS} edits, resident MB`, residentMb(recorded, edited), 300, 'at most')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ratios(recorded: string, replayed: string, what: string, findings: number): Promise<void> {
  const times = await alternate(
    [
      {
        name: 'read',
        run() {
          if (countRecords(recorded) + countRecords(replayed) < 2 * RECORDS - EDITS)
            throw new Error('wrong count')
        },
      },
      ...(['semantic', 'byte_identical'] as const).map((mode) => ({
        name: mode,
        run() {
          const report = compare(tapeFile(recorded), tapeFile(replayed), mode)
          if (report.findingCount !== findings)
            throw new Error(`${report.findingCount} findings instead of ${findings}`)
        },
      })),
    ],
    BLOCKS,
  )
  const read = times.get('read') ?? 1
  console.log(`${what}: reading both takes ${(read / 1000).toFixed(2)} s`)
  verdict(`${what}, semantic, in readings of both`, (times.get('semantic') ?? 0) / read, 1.5, 'at most')
  verdict(
    `${what}, byte_identical, in readings of both`,
    (times.get('byte_identical') ?? 0) / read,
    1.5,
    'at most',
  )
}

function countRecords(path: string): number {
  let records = 0
  for (const event of readTapeEvents(path)) if (event.type === 'record') records += 1
  return records
}

function residentMb(recorded: string, replayed: string): number {
  const program = `
    import { compareTapes } from 'reprise/fidelity'
    await compareTapes(process.argv[1], process.argv[2])
    console.log(process.resourceUsage().maxRSS / 1024)`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, recorded, replayed], {
    encoding: 'utf8',
    cwd: new URL('..', import.meta.url),
  })
  return Number(run.stdout)
}

/** Records as agents make them; every edit in turn leaves one out, puts one in, or changes one. */
function writeTape(path: string, edits: number): void {
  const descriptor = openSync(path, 'w')
  let seq = 0
  let batch =
    '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":1767225600000,"script_path":"agent","argv":[]}\n'
  const put = (time: number, kind: string): void => {
    batch += `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":${1767225600000 + time},"monotonic_ms":${time},"kind":${kind}}\n`
    seq += 1
    if (batch.length < 1_000_000) return
    writeSync(descriptor, batch)
    batch = ''
  }
  const distance = edits === 0 ? 0 : RECORDS / edits
  for (let at = 0; at < RECORDS; at += 1) {
    const edit = distance > 0 && at % distance === distance / 2 ? (at / distance) | 0 : -1
    if (edit >= 0 && edit % 3 === 0) continue
    if (edit >= 0 && edit % 3 === 1) put(at, `{"kind":"clock_sleep","duration_ms":${at}}`)
    if (edit >= 0 && edit % 3 === 2) put(at, `{"kind":"file_delete","path":"changed-${at}"}`)
    else put(at, kindAt(at))
  }
  writeSync(descriptor, batch)
  closeSync(descriptor)
}

function kindAt(at: number): string {
  const hash = at.toString(16).padStart(64, '0')
  switch (at % 5) {
    case 0:
      return `{"kind":"clock_read","source":"wall","value_ms":${1767225600000 + at}}`
    case 1:
      return `{"kind":"file_read","path":"/w/src/file-${at % 977}.ts","content_hash":"${hash}","len_bytes":1234}`
    case 2:
      return `{"kind":"stream_chunk","of":${at - 2},"n":0,"direction":"in","data":{"text":"data: {\\"delta\\":\\"word ${at}\\"}\\n\\n"}}`
    case 3:
      return `{"kind":"llm_call","request_digest":"${hash}","response":{"content_hash":"${hash}","text":"{\\"text\\":\\"answer ${at}\\",\\"tool_calls\\":[]}"}}`
    default:
      return `{"kind":"process_spawn","program":"git","args":["status"],"cwd":null,"exit_code":0,"duration_ms":${at % 50},"stdout_payload":{"content_hash":"${hash}","text":"On branch main\\n"},"stderr_payload":{"content_hash":"${hash}","text":""}}`
  }
}
