/**
 * Runs a script against a session: waits on what the screen shows, never on time alone. Text is found across
 * the line breaks that a terminal makes. A step that times out is an error that contains the screen.
 */
import { unreachable } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { realClearTimeout, realSetTimeout } from '../../real/clock.ts'
import type { LiveScreen } from './live-screen.ts'
import type { ScriptStep } from './script.ts'
import type { Session } from './session.ts'

export type ScriptRun = {
  /** Call this after every output, once the screen contains it. */
  output(): void
  ended(): void
  readonly done: Promise<void>
}

const DEFAULT_TIMEOUT_MS = 30_000

export function runScript(steps: readonly ScriptStep[], session: Session, screen: LiveScreen): ScriptRun {
  let timeoutMs = DEFAULT_TIMEOUT_MS
  let hasEnded = false
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const until = (step: ScriptStep, what: string, isDone: () => Promise<boolean>): Promise<void> =>
    new Promise((resolve, reject) => {
      let checking = false
      let again = false
      const settle = (act: () => void): void => {
        realClearTimeout(timer)
        listeners.delete(look)
        act()
      }
      const fail = async (reason: string): Promise<void> => {
        const rows = await screen.rows()
        settle(() => reject(stepFailed(step, what, reason, rows)))
      }
      const look = (): void => {
        if (checking) {
          again = true
          return
        }
        checking = true
        isDone()
          .then(async (done) => {
            checking = false
            if (done) settle(resolve)
            else if (again) {
              again = false
              look()
            } else if (hasEnded) await fail('the program has ended')
          })
          .catch((error: unknown) => settle(() => reject(error)))
      }
      const timer = realSetTimeout(() => void fail(`after ${timeoutMs} ms`), timeoutMs)
      listeners.add(look)
      look()
    })
  const quiet = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      let timer = realSetTimeout(finish, ms)
      function finish(): void {
        listeners.delete(restart)
        resolve()
      }
      function restart(): void {
        realClearTimeout(timer)
        timer = realSetTimeout(finish, hasEnded ? 0 : ms)
      }
      listeners.add(restart)
    })
  const perform = async (step: ScriptStep): Promise<void> => {
    switch (step.do) {
      case 'wait':
        return until(step, `waited for ${JSON.stringify(step.text)}`, async () =>
          shows(await screen.rows(), step.text),
        )
      case 'type':
        return session.write(Buffer.from(step.text))
      case 'press':
        return session.key(step.key)
      case 'paste':
        return session.paste(step.text, await screen.bracketedPaste())
      case 'resize':
        session.resize(step.size)
        return
      case 'quiet':
        return quiet(step.ms)
      case 'timeout':
        timeoutMs = step.ms
        return
      case 'signal':
        session.signal(step.signal)
        return
      case 'exit':
        return until(step, 'waited for the end', async () => hasEnded)
      default:
        return unreachable(step)
    }
  }
  const run = async (): Promise<void> => {
    for (const step of steps) await perform(step)
  }
  return {
    output: notify,
    ended() {
      hasEnded = true
      notify()
    },
    done: run(),
  }
}

/**
 * A wrapped line may have split the text: it is also looked for with all rows joined, and with all white
 * space left out.
 */
function shows(rows: readonly string[], text: string): boolean {
  if (rows.join('\n').includes(text) || rows.join('').includes(text)) return true
  const dense = (value: string): string => value.replace(/\s+/g, '')
  return dense(text) !== '' && /\s/.test(text) && dense(rows.join('')).includes(dense(text))
}

function stepFailed(step: ScriptStep, what: string, reason: string, rows: readonly string[]): RepriseError {
  const shown = rows.filter((row) => row !== '')
  return new RepriseError('cassette-script-timeout', `script line ${step.line}: ${what}, ${reason}`, {
    details: { line: step.line, screen: rows },
    hint: shown.length === 0 ? 'the screen is empty' : `the screen ends with: ${shown.slice(-3).join(' / ')}`,
  })
}
