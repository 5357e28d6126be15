/** Writes the files of a bench: JSON for programs and comparisons, a page for people. They never replace older ones. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LedgerEntry } from '../ledger/ledger-entry.ts'
import { htmlPage, ledgerPage } from '../report/html/html-page.ts'
import type { BenchResults } from '../results/results.ts'

export interface ReportFiles {
  readonly json: string
  readonly html: string
}

export async function writeReport(
  directory: string,
  results: BenchResults,
  ledger: readonly LedgerEntry[],
): Promise<ReportFiles> {
  await mkdir(directory, { recursive: true })
  const name = results.date.replace(/\.\d+Z$/, '').replaceAll(/[:]/g, '-')
  const files = { json: join(directory, `${name}.json`), html: join(directory, `${name}.html`) }
  await writeFile(files.json, `${JSON.stringify(results, undefined, 1)}\n`, { flag: 'wx' })
  await writeFile(files.html, htmlPage(results, ledger), { flag: 'wx' })
  return files
}

/** Replaces an older page, which had no other source than the ledger. Resolves with the path of the page. */
export async function writeLedgerPage(directory: string, ledger: readonly LedgerEntry[]): Promise<string> {
  await mkdir(directory, { recursive: true })
  const path = join(directory, 'ledger.html')
  await writeFile(path, ledgerPage(ledger))
  return path
}
