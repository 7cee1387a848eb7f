/**
 * Connections in protocols that Reprise does not know. Each program is recorded against a server, and its replay,
 * without the server, prints the same.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../support/outside.ts'
import { recordProgram } from '../support/recorded-program.ts'
import {
  SOCKET_HEAD,
  SOCKET_PROGRAMS,
  socketEnv,
  startSocketServers,
  stopSocketServers,
} from '../support/socket-servers.ts'

beforeAll(startSocketServers)
afterAll(stopSocketServers)

describe.each(Object.entries(SOCKET_PROGRAMS))('%s', (_what, source) => {
  test('replays without its server', async (context) => {
    needs(context, 'openssl')
    const program = await recordProgram(SOCKET_HEAD + source, socketEnv)
    expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
    expect(program.recorded.stdout).not.toBe('')
    const { report, stdout, stderr, code } = await program.replay()
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
    expect({ stdout, stderr, code }).toEqual({ stdout: program.recorded.stdout, stderr: '', code: 0 })
  })
})
