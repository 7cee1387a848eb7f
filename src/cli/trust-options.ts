/** The options by which a user vouches for a tape that names its command: see recorded-command.ts. */
import { RepriseError } from '../errors/index.ts'
import { type CommandInput, type CommandOption, flagOption, textOption } from './command.ts'
import { readPublicKey } from './read-public-key.ts'
import type { Trust } from './recorded-command.ts'

export const trustOptions: readonly CommandOption[] = [
  {
    flags: '--trust',
    help: 'run the command that the tape names, also if it has its source on the tape or loads code by options',
  },
  { flags: '--key <file>', help: 'the same, if the seal was signed with this Ed25519 public key (PEM)' },
]

export async function trustOf(input: CommandInput): Promise<Trust> {
  const file = textOption(input, 'key')
  const refuse = (cause: unknown): RepriseError =>
    new RepriseError('usage', `${file} holds no public key`, { hint: 'give an Ed25519 key in PEM', cause })
  const publicKey = file === undefined ? {} : { publicKey: await readPublicKey(file, refuse) }
  return { trusted: flagOption(input, 'trust'), ...publicKey }
}
