/** `varve bench`: finds the best layout for this disk and this work. */
import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { bench, type BenchOptions } from './main.ts'
import { writeLedgerPage } from './bench-report.ts'
import { ledgerOptions, ledgerPlace } from './ledger-options.ts'
import { readLedger } from '../ledger/ledger.ts'
import { againstRivals, rivalsTable } from '../report/against-rivals.ts'
import { comparisonTable } from '../report/comparison-table.ts'
import { terminalTable } from '../report/terminal-table.ts'
import { compareResults } from '../results/compare.ts'
import { parseResults } from '../results/parse-results.ts'
import type { BenchResults } from '../results/results.ts'
import { type FoundRivals, parseRivals } from '../rivals/parse-rivals.ts'
import { smoke } from '../plan/smoke.ts'
import { ownWorkload, type OwnWorkload, parseOwnWorkload } from '../plan/own-workload.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from '../basics/usage-error.ts'
import { type BenchCommandOptions, runOptions, workloadOptions } from './bench-options.ts'

/** The whole command; `version` is that of the measured store. */
export function benchCommand(context: Terminal, version: string): Command {
  const command = new Command('bench').description('compare storage layouts on this machine')
  for (const option of [
    ...runOptions(),
    ...workloadOptions(),
    ...ledgerOptions(),
    new Option('--json', 'one JSON value per line, for programs'),
  ])
    command.addOption(option)
  command.argument('[results...]', 'with --compare: two JSON files, the older first')
  return command.action(async (results: readonly string[], options: BenchCommandOptions) => {
    if (options.compare === undefined && results.length > 0) throw new UsageError('Files of results need --compare.')
    if (options.plot !== undefined) await runPlot(context, options.plot, options)
    else if (options.compare === undefined) await runBenchCommand(context, options, version)
    else await runCompare(context, [options.compare, ...results], options.json ?? false)
  })
}

async function runBenchCommand(context: Terminal, options: BenchCommandOptions, varve: string): Promise<void> {
  const { output, note } = context
  const { json = false } = options
  const ledger = ledgerPlace(options)
  const { rivals, absent } = await rivalsOf(options.rivals)
  if (!json) for (const { name, missing } of absent) note(`${name} takes no part: there is no ${missing} here.`)
  const { results, files, entry } = await bench({
    ...(await requested(context, options)),
    ...(ledger !== undefined && { ledger }),
    rivals,
    varve,
    note: (text) => (json ? undefined : note(text)),
    onWorkload: (result) => (json ? Promise.resolve() : output.line(terminalTable(result))),
  })
  if (json) return output.json(results)
  const against = againstRivals(results)
  if (against !== undefined) await output.line(`${rivalsTable(against)}\n`)
  if (files !== undefined) await output.line(`${files.html}\n${files.json}`)
  if (entry !== undefined) await output.line(entry)
}

async function requested(
  { signal, progress }: Terminal,
  options: BenchCommandOptions,
): Promise<Omit<BenchOptions, 'varve' | 'note' | 'onWorkload'>> {
  const { dir, out, layout, only, floors, smoke: quick = false } = options
  const own = await ownWorkloadOf(options)
  const { rounds, scale } = quick ? smoke : options
  const layouts = layout ?? (quick ? smoke.layouts : undefined)
  return {
    rounds,
    scale,
    floors,
    smoke: quick,
    seed: options.seed ?? own?.seed ?? 1,
    out,
    signal,
    progress,
    ...(dir !== undefined && { dir }),
    ...(layouts !== undefined && { layouts }),
    ...(only !== undefined && { only }),
    ...(own !== undefined && { own: own.workload }),
  }
}

async function rivalsOf(file: string | undefined): Promise<FoundRivals> {
  if (file === undefined) return { rivals: [], absent: [] }
  return parseRivals(file, await readGiven(file))
}

async function ownWorkloadOf(options: BenchCommandOptions): Promise<OwnWorkload | undefined> {
  const { workload: file, mix, sizes: given, keys, inFlight, operations, seconds, http } = options
  const detailed = Object.entries({ sizes: given, keys, inFlight, operations, seconds }).filter(
    ([, value]) => value !== undefined,
  )
  if (mix === undefined && (detailed.length > 0 || http !== undefined)) {
    throw new UsageError('--sizes, --keys, --in-flight, --operations, --seconds and --http need --mix.')
  }
  if (file === undefined && mix === undefined) return undefined
  if (file !== undefined) return parseOwnWorkload(await readGiven(file))
  return ownWorkload({ mix, ...Object.fromEntries(detailed), ...(http === true && { through: 'http' }) })
}

/** @throws UsageError, LedgerError */
async function runPlot({ output }: Terminal, ledger: string, { out, json }: BenchCommandOptions): Promise<void> {
  const entries = await readLedger(ledger)
  if (entries.length === 0) throw new UsageError(`${ledger} holds no entries of a ledger.`)
  const page = await writeLedgerPage(out, entries)
  if (json === true) return output.json({ kind: 'plot', page, entries: entries.length })
  await output.line(page)
}

async function runCompare({ output, note }: Terminal, files: readonly string[], json: boolean): Promise<void> {
  const [before, after, ...more] = files
  if (before === undefined || after === undefined || more.length > 0) throw new UsageError('--compare takes two files.')
  const read = async (file: string): Promise<BenchResults> => parseResults(file, await readGiven(file))
  const compared = compareResults(await read(before), await read(after))
  if (json) return output.json({ kind: 'comparison', ...compared })
  if (compared.rows.length === 0) note('There is nothing that both have measured.')
  await output.line(comparisonTable(compared))
}

const readGiven = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? error.message}).`)
  })
