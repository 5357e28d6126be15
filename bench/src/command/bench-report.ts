/** Writes the files of a bench: JSON for programs and comparisons, a page for people. They never replace older ones. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { htmlPage } from '../report/html/html-page.ts'
import type { BenchResults } from '../results/results.ts'

export interface ReportFiles {
  readonly json: string
  readonly html: string
}

export async function writeReport(directory: string, results: BenchResults): Promise<ReportFiles> {
  await mkdir(directory, { recursive: true })
  const name = results.date.replace(/\.\d+Z$/, '').replaceAll(/[:]/g, '-')
  const files = { json: join(directory, `${name}.json`), html: join(directory, `${name}.html`) }
  await writeFile(files.json, `${JSON.stringify(results, undefined, 1)}\n`, { flag: 'wx' })
  await writeFile(files.html, htmlPage(results), { flag: 'wx' })
  return files
}
