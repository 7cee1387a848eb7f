/** `node --import reprise/register`: records or replays this process, as `REPRISE_MODE` and `REPRISE_TAPE` say. Without them it does nothing. */
import { registerProcess } from '../testbench/register-process.ts'

registerProcess()
