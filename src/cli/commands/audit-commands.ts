/** The commands of `reprise audit`, in the order of the help. */
import type { Command } from '../command.ts'
import { audit } from './audit.ts'
import { auditCheck } from './audit-check.ts'
import { auditExport } from './audit-export.ts'
import { auditImport } from './audit-import.ts'
import { auditTail } from './audit-tail.ts'
import { auditVerify } from './audit-verify.ts'

export const auditCommands: readonly Command[] = [audit, auditCheck, auditImport, auditVerify, auditTail, auditExport]
