/** The options of `varve bench`. */
import { InvalidArgumentError, Option } from 'commander'
import type { LedgerCommandOptions } from './ledger-options.ts'

export interface BenchCommandOptions extends LedgerCommandOptions {
  readonly dir?: string
  readonly out: string
  readonly layout?: readonly string[]
  readonly only?: readonly string[]
  readonly rivals?: string
  readonly rounds: number
  readonly scale: number
  readonly seed?: number
  readonly workload?: string
  readonly mix?: Readonly<Record<string, unknown>>
  readonly compare?: string
  readonly smoke?: boolean
  readonly floors: boolean
  readonly json?: boolean
  readonly sizes?: unknown
  readonly keys?: number
  readonly inFlight?: number
  readonly operations?: number
  readonly seconds?: number
  readonly http?: boolean
}

export function runOptions(): Option[] {
  return [
    new Option(
      '-d, --dir <dir>',
      'where to write; empty or absent, and so again at the end (default: a temporary one)',
    ).argParser(parseDirectory),
    new Option('-o, --out <dir>', 'where the results go, as JSON and as a page')
      .default('./varve-bench')
      .argParser(parseDirectory),
    new Option(
      '-l, --layout <names>',
      'these layouts, with commas (default: all that varve serve takes, and memory)',
    ).argParser(names),
    new Option('--only <names>', 'these workloads, with commas; put* for all that begin so (default: all)')
      .argParser(names)
      .conflicts(['workload', 'mix']),
    new Option('--rivals <file>', 'stores of others beside ours, as JSON says how to start them').argParser(parseText),
    new Option('--rounds <count>', 'how often each is measured').default(5).argParser(wholeNumber(1, 1000)),
    new Option('--scale <factor>', 'the size of every round: 0.1 is a tenth').default(1).argParser(scaleFactor),
    new Option('--seed <number>', 'what keys and bytes follow from (default: 1)').argParser(
      wholeNumber(0, 2 ** 32 - 1),
    ),
    new Option('--no-floors', 'leave out what the machine itself allows'),
    new Option('--smoke', 'a few seconds that show that it works; figures mean nothing'),
    new Option('--compare <results>', 'compare two files of results instead: OLD.json NEW.json').argParser(parseText),
  ]
}

/** The options that define a workload, with the same fields as a workload file. */
export function workloadOptions(): Option[] {
  return [
    new Option('-w, --workload <file>', 'a workload of your own, as JSON').argParser(parseText).conflicts('mix'),
    new Option('--mix <shares>', 'a workload of your own: get=70,put=20,list=5,delete=5').argParser(shares),
    new Option('--sizes <sizes>', 'with --mix: 4KiB, or with shares 4KiB=70,1MiB=30').argParser(sizes),
    new Option('--keys <count>', 'with --mix: objects there are').argParser(wholeNumber(0, 10_000_000)),
    new Option('--in-flight <count>', 'with --mix: operations at once').argParser(wholeNumber(1, 1024)),
    new Option('--operations <count>', 'with --mix: operations in a round').argParser(wholeNumber(1, 10_000_000)),
    new Option('--seconds <seconds>', 'with --mix: how long a round takes instead').argParser(Number),
    new Option('--http', 'with --mix: through HTTP, signed'),
  ]
}

function parseDirectory(text: string): string {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) throw new InvalidArgumentError('It is the path of a directory.')
  return parseText(text)
}

function parseText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

const names = (text: string): readonly string[] => text.split(',').map((name) => parseText(name.trim()))

const shares = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(pairs(text).map(([name, weight]) => [name, Number(weight)]))

const sizes = (text: string): unknown =>
  text.includes('=') ? pairs(text).map(([bytes, weight]) => ({ bytes, weight: Number(weight) })) : text

function pairs(text: string): [string, string][] {
  return text.split(',').map((pair) => {
    const [, name, weight] = /^\s*(\w+)=(\d+(?:\.\d+)?)\s*$/.exec(pair) ?? []
    if (name === undefined || weight === undefined) {
      throw new InvalidArgumentError('It is names and shares, such as get=70,put=30.')
    }
    return [name, weight]
  })
}

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`)
  }

function scaleFactor(text: string): number {
  const value = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= 100) return value
  throw new InvalidArgumentError('It is a number above 0, up to 100, such as 0.1.')
}
