/**
 * JSON from files and from the network is read by `parseJson`, which bounds the nesting before a value is
 * built. A file that calls `JSON.parse` has a row here with what it parses.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))

const ALLOWED: Readonly<Record<string, string>> = {
  'base/canonical-json.ts': 'one string token, and text that was checked',
  'base/event-text.ts': 'text of at most 100 levels',
  'base/growing-json.ts': 'one string token, and a piece of at most 100 levels',
  'base/json-members.ts': 'one string token',
  'base/large-list.ts': 'one string token',
  'base/parse-json.ts': 'the function itself',
  'boundaries/process/kill.ts': 'an answer that this family wrote',
  'boundaries/process/launched-child.ts': 'a message of a child that this process started',
  'boundaries/process/own-channel.ts': 'a message of a child that this process started',
  'boundaries/terminal/terminal-child.ts': 'an answer that this family wrote',
  'cassette/codec/writable.ts': 'text that was printed a line before',
  'cli/demo/sources.ts': 'a request of the demo to its own model',
  'cli/doctor/command-found.ts': 'the package.json of the user',
  'cli/replay-program.ts': 'a file of the process that this one started',
  'debugger/evaluations.ts': 'a message of the front end of a debugger on this machine',
  'debugger/inspector-client.ts': 'a message of the process that this one started',
  'debugger/proxy.ts': 'a message of the process that this one started',
  'debugger/source-lines.ts': "a source map of the user's program",
  'real/ask-node.ts': 'the output of a Node that this process started',
  'real/package-of-file.ts': 'the package.json of an addon',
  'scrub/json-string.ts': 'one string token',
  'scrub/scrubbed-parts.ts': 'scrubbed text; the scrubber bounds its nesting',
  'state/handoff.ts': 'text that was printed a line before',
  'state/taped/answers.ts': 'text that was printed a line before',
  'tape/decision-evaluation.ts': 'text that was printed a line before',
  'tape/record.ts': 'one string token',
  'tape/serde-safe.ts': 'one string token',
  'testbench/edits/json-path.ts': 'one string token',
  'testbench/mcp/call-ids.ts': 'one id',
  'testbench/mcp/diff/schema-changes.ts': 'one string token',
  'testbench/mcp/json-rpc.ts': 'a message of at most 1 MiB',
  'testbench/mcp/rpc-key.ts': 'one id',
  'real/children-of-thread.ts': 'settings of the process, in a thread of it',
  'testbench/children/child-settings.ts': 'settings of the process that started this one',
  'testbench/program/inherited-secrets.ts': 'secrets from the process that started this one',
  'testbench/program/loaders.ts': 'the package.json of a loader',
  'testbench/program/register-process.ts': 'settings of the process that started this one',
  'testbench/program/replay-result.ts': 'a file of the process that this one started',
  'testbench/records/answers.ts': 'text that was printed a line before',
  'testbench/session/reads.ts': 'a fact that this family wrote',
  'viewer/protocol/boot.ts': 'the page that this program made',
  'viewer/server/methods.ts': 'parameters in an address',
  'viewer/source/http-source.ts': 'answers of the server of this program',
  'viewer/source/range-source.ts': 'parts of a bundle that this program made',
  'viewer/web/data/content.ts': 'what the page shows',
}

test('only the files of the list call JSON.parse', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(source, path), 'utf8').includes('JSON.parse('))
  expect(files.sort()).toEqual(Object.keys(ALLOWED).sort())
})
