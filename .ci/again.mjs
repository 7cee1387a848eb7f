/**
 * Runs the files that have failed tests once more, and updates the counts of that part.
 *
 * usage: node .ci/again.mjs RESULTS COMMAND...
 *
 * RESULTS is what test/support/closing-line.ts wrote. A test that passes the second time counts as passed and
 * is kept by name in `passedAgain`, which .ci/run prints: it is a defect to mend, but no reason to refuse a
 * change that did not cause it. Unhandled errors belong to no file and stay failed. Exits with 1 if the part
 * ended badly for another reason than a failed test.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const [results, command, ...args] = process.argv.slice(2)
const read = () => JSON.parse(readFileSync(results, 'utf8'))
const name = ({ file, test }) => `${file} > ${test}`

const first = existsSync(results) ? read() : { failures: [] }
const files = [...new Set(first.failures.map(({ file }) => file))]
if (files.length > 0) writeFileSync(results, `${JSON.stringify(merged(first, runAgain(files)))}\n`)
else process.exitCode = 1

function runAgain(files) {
  process.stdout.write(`run again, because tests failed: ${files.join(', ')}\n`)
  rmSync(results)
  spawnSync(command, [...args, ...files], { stdio: 'inherit' })
  return existsSync(results) ? read() : undefined
}

function merged(first, second) {
  if (second === undefined) return first
  const failed = new Set(second.failures.map(name))
  const passedAgain = second.passed === 0 ? [] : first.failures.filter((test) => !failed.has(name(test)))
  const known = new Set(first.failures.map(name))
  const onlySecond = second.failures.filter((test) => !known.has(name(test)))
  return {
    passed: first.passed + passedAgain.length - onlySecond.length,
    failed: first.failed - passedAgain.length + onlySecond.length,
    notRun: first.notRun,
    failures: [...first.failures.filter((test) => failed.has(name(test))), ...onlySecond],
    passedAgain,
  }
}
