/** The options of `varve bench` for a ledger. */
import { InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../basics/usage-error.ts'
import { commitPattern, labelPattern, labelRule, noteMax } from '../ledger/entry-schema.ts'
import type { LedgerPlace } from '../ledger/ledger.ts'

export interface LedgerCommandOptions {
  readonly ledger?: string
  readonly label?: string
  readonly note?: string
  readonly commit?: string
  readonly replace?: boolean
  readonly plot?: string
}

export function ledgerOptions(): Option[] {
  return [
    new Option('--ledger <dir>', 'add the run to this ledger, and draw all its releases; needs --label')
      .argParser(directory)
      .conflicts(['smoke', 'compare']),
    new Option('--label <name>', 'with --ledger: the machine; figures of one label are compared').argParser(
      like(labelPattern, labelRule),
    ),
    new Option('--note <text>', 'with --ledger: what readers should know, such as other work on the machine').argParser(
      noteText,
    ),
    new Option('--commit <id>', 'with --ledger: the commit of Varve that runs').argParser(
      like(commitPattern, 'the hexadecimal id of a commit'),
    ),
    new Option('--replace', 'with --ledger: replace the entry of this release and label'),
    new Option('--plot <dir>', 'draw the releases of a ledger instead, without a run')
      .argParser(directory)
      .conflicts(['ledger', 'smoke', 'compare']),
  ]
}

/** `undefined` if the run is not for a ledger. @throws UsageError */
export function ledgerPlace(options: LedgerCommandOptions): LedgerPlace | undefined {
  const { ledger, label, note, commit, replace = false } = options
  if (ledger === undefined) {
    if (label === undefined && note === undefined && commit === undefined && !replace) return undefined
    throw new UsageError('--label, --note, --commit and --replace need --ledger.')
  }
  if (label === undefined) throw new UsageError('--ledger needs a --label for the machine.')
  return {
    directory: ledger,
    replace,
    label,
    ...(note !== undefined && { note }),
    ...(commit !== undefined && { commit }),
  }
}

function directory(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

const like =
  (pattern: RegExp, rule: string) =>
  (text: string): string => {
    if (pattern.test(text)) return text
    throw new InvalidArgumentError(`It is ${rule}.`)
  }

function noteText(text: string): string {
  if (text.length <= noteMax) return text
  throw new InvalidArgumentError(`It has at most ${noteMax} characters.`)
}
