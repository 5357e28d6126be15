/** Entries as the text of their files. */
import { isStorageError, schema } from '@varve/core'
import { isObject } from '../basics/json-fields.ts'
import { entrySchema } from './entry-schema.ts'
import { entryForm, type LedgerEntry } from './ledger-entry.ts'
import { LedgerError } from './ledger-error.ts'

/** The name of the file of an entry: there is one for each release and machine. */
export const fileNameOf = ({ varve, label }: Pick<LedgerEntry, 'varve' | 'label'>): string => `${varve}-${label}.json`

/** JSON with a line for each contender, so that changes of an entry are legible. */
export function entryText({ workloads, ...facts }: LedgerEntry): string {
  const fields = Object.entries(facts).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  const parts = workloads.map(({ workload, contenders }) => {
    const lines = contenders.map((one) => JSON.stringify(one)).join(',\n')
    return `{"workload": ${JSON.stringify(workload)},\n"contenders": [\n${lines}\n]}`
  })
  return `{\n${fields.join('')}"workloads": [\n${parts.join(',\n')}\n]\n}\n`
}

/** `path` is the file that the text is from. @throws LedgerError `BrokenLedgerEntry`, which names the file */
export function parseEntry(path: string, text: string): LedgerEntry {
  const value = jsonOf(path, text)
  const form = isObject(value) ? value['form'] : undefined
  if (typeof form !== 'string' || !form.startsWith('varve-bench-ledger/')) {
    throw broken(path, 'does not hold an entry of a ledger')
  }
  if (form !== entryForm) throw broken(path, `has the form ${form}; this release reads ${entryForm}`)
  try {
    return schema.checked('entry', entrySchema, value)
  } catch (error) {
    if (isStorageError(error, 'InvalidArgument')) throw broken(path, `is broken: ${error.message.replace(/\.$/, '')}`)
    throw error
  }
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw broken(path, `is not JSON: ${(error as Error).message}`)
  }
}

export const broken = (path: string, why: string): LedgerError =>
  new LedgerError('BrokenLedgerEntry', `${path} ${why}.`)
