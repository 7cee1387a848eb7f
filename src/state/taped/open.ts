/**
 * Opens a place for state in a session: what was chosen when it was recorded (the id of a session that was
 * given none, the instance, the folder that a relative path meant) is on the tape, and a replay takes it from
 * there without opening anything.
 */
import { fieldsOf } from '../../base/index.ts'
import type { StateAnswer, StateCrossing } from '../../tape/state-crossing.ts'
import type { Backend, StateDriver } from '../contract.ts'
import { type DriverOptions, openDriver, parseRoot } from '../open-driver.ts'
import { refusalOf, throwRefusal } from './answers.ts'
import { tapedDriver } from './driver.ts'

export type Chosen = { readonly sessionId: string; readonly instance: string }

export async function openTaped(
  crossing: StateCrossing,
  root: string,
  options: DriverOptions,
  chosen: Chosen,
): Promise<Chosen & { readonly driver: StateDriver }> {
  const { backend } = parseRoot(root)
  const opened: { driver: StateDriver | null } = { driver: null }
  const open = async (): Promise<StateAnswer> => {
    try {
      opened.driver = await openDriver(root, options)
      const result = { root: opened.driver.root, session_id: chosen.sessionId, instance: chosen.instance }
      return { result, content: null }
    } catch (error) {
      return { result: refusalOf(error), content: null }
    }
  }
  const { result } = await crossing.call(
    { call: 'open', path: `agent-state:${withoutCredentials(root)}` },
    open,
  )
  throwRefusal(result)
  const facts = fieldsOf(result)
  const place: { readonly backend: Backend; readonly root: string } = { backend, root: String(facts.root) }
  return {
    driver: tapedDriver(crossing, place, opened.driver),
    sessionId: String(facts.session_id),
    instance: String(facts.instance),
  }
}

/**
 * What the program typed, so that a replay in another folder finds it; a database is named by host and name.
 */
function withoutCredentials(root: string): string {
  return root.replace(/^(postgres(?:ql)?:\/\/)[^@/?#]*@/i, '$1').replace(/\?.*$/s, '')
}
