/**
 * A Prometheus server scrapes a loaded store: `npm run suite prometheus -- --minutes 10`. Then it answers every query of the
 * dashboard and every expression of the alerts. Needs `prometheus` and `promtool`, as Debian has them.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { attachStore } from 'varve'
import { freePort } from '../support/free-port.ts'
import {
  alertExpressions,
  dashboardExpressions,
  deploy,
  type Expression,
  hasSamples,
  parsed,
  type Samples,
  samplesIn,
} from './expressions.ts'
import { keyVariables, Load } from './load.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, workers: { type: 'string', default: '1' } },
})
const minutes = Number(values.minutes)
if (!(minutes >= 2)) throw new Error('--minutes is at least 2: rates need several scrapes.')

const token = 'a-token-of-some-length'
const binary = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'varve-prometheus-'))
const ending: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
try {
  await run()
} finally {
  for (const end of ending.toReversed()) await end()
}

async function run(): Promise<void> {
  const rules = join(folder, 'alerts.yml')
  for (const name of ['alerts.yml', 'alerts.test.yml']) await cp(join(deploy, 'prometheus', name), join(folder, name))
  execFileSync('promtool', ['check', 'rules', rules], { stdio: 'inherit' })
  execFileSync('promtool', ['test', 'rules', join(folder, 'alerts.test.yml')], { stdio: 'inherit' })
  await writeFile(join(folder, 'metrics.token'), token)
  const url = await startServer()
  const api = await startPrometheus(new URL(url).host)
  const requests = await loadFor(url, minutes * 60_000)
  await report(url, api, requests)
}

async function startServer(): Promise<string> {
  const dir = join(folder, 'data')
  const options = ['--port', '0', '--metrics-token-file', join(folder, 'metrics.token'), '--scrub', '10MiB']
  const args = [binary, 'serve', dir, '--json', '--workers', values.workers, ...options]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...keyVariables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ending.push(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let text = ''
  for await (const data of child.stdout) {
    text += String(data)
    const [, url] = /"kind":"ready","url":"([^"]+)"/.exec(text) ?? []
    if (url === undefined) continue
    const store = await attachStore(dir)
    const stop = new AbortController()
    void follow(store.subscribe('index', { from: 0, signal: stop.signal })).catch(() => undefined)
    ending.push(async () => {
      stop.abort()
      await store.close()
    })
    return url
  }
  throw new Error(`The server ended: ${text}`)
}

async function follow(batches: AsyncIterable<{ acknowledge(): Promise<void> }>): Promise<void> {
  for await (const batch of batches) await batch.acknowledge()
}

async function startPrometheus(target: string): Promise<string> {
  const configuration = join(folder, 'prometheus.yml')
  const text = await readFile(join(deploy, 'prometheus/scrape.yml'), 'utf8')
  await writeFile(configuration, text.replace('127.0.0.1:9000', target).replaceAll('interval: 15s', 'interval: 5s'))
  execFileSync('promtool', ['check', 'config', configuration], { stdio: 'inherit' })
  const address = `127.0.0.1:${await freePort()}`
  const data = join(folder, 'tsdb')
  await mkdir(data)
  const args = [`--config.file=${configuration}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${address}`]
  const child = spawn('prometheus', [...args, '--log.level=warn'], { stdio: ['ignore', 'inherit', 'inherit'] })
  ending.push(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  return `http://${address}/api/v1`
}

async function loadFor(url: string, ms: number): Promise<number> {
  const load = new Load(url)
  await load.begin()
  const end = Date.now() + ms
  let requests = 1
  const client = async () => {
    while (Date.now() < end) {
      const sent = await load.round()
      requests += sent
      await delay(20)
    }
  }
  await Promise.all(Array.from({ length: 4 }, client))
  load.end()
  // The last requests are in the next scrape.
  await delay(10_000)
  return requests
}

interface Result {
  readonly status: string
  readonly error?: string
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

async function queried(api: string, text: string): Promise<Result> {
  const answer = await fetch(`${api}/query`, { method: 'POST', body: new URLSearchParams({ query: text }) })
  return (await answer.json()) as Result
}

async function report(url: string, api: string, requests: number): Promise<void> {
  const scrape = await fetch(`${url}/-/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const { problems, ...counts } = await answered(api, samplesIn(await scrape.text()))
  const one = async (query: string) => Number((await queried(api, query)).data.result[0]?.value[1])
  const figures = {
    minutes,
    requests,
    counted: await one('sum(varve_requests_total{operation!="none"})'),
    scrapes: await one('count_over_time(up{job="varve"}[1h])'),
    failedScrapes: await one('count_over_time(up{job="varve"}[1h]) - sum_over_time(up{job="varve"}[1h])'),
    samplesOfScrape: await one('scrape_samples_scraped{job="varve"}'),
    longestScrapeSeconds: await one('max_over_time(scrape_duration_seconds{job="varve"}[1h])'),
    meanScrapeSeconds: await one('avg_over_time(scrape_duration_seconds{job="varve"}[1h])'),
    ...counts,
  }
  console.log(JSON.stringify(figures, null, 1))
  const firing = await queried(api, 'ALERTS{alertstate="firing"}')
  const all = [...problems, ...firing.data.result.map((alert) => `fires: ${JSON.stringify(alert)}`)]
  for (const problem of all) console.error(problem)
  if (all.length > 0 || figures.failedScrapes > 0) process.exitCode = 1
}

/** Asks for every expression. `empty` counts those without series, `problems` has those that must not be so. */
async function answered(api: string, samples: Samples) {
  const found = { problems: [] as string[], queries: 0, series: 0, empty: 0 }
  for (const expression of [...dashboardExpressions('1m'), ...alertExpressions()]) {
    for (const [query, hasSeries] of queriesOf(expression)) {
      const { status, error, data } = await queried(api, query)
      const series = data?.result.length ?? 0
      found.queries++
      found.series += series
      if (status !== 'success') found.problems.push(`${expression.where}: ${error}: ${query}`)
      if (series > 0 || !hasSeries) continue
      found.empty++
      if (hasSamples(parsed(query), samples)) found.problems.push(`${expression.where}: no series: ${query}`)
    }
  }
  return found
}

type Query = readonly [text: string, hasSeries: boolean]

/** An alert that does not fire has no series, but what it compares has. */
function queriesOf({ text, isAlert }: Expression): readonly Query[] {
  if (!isAlert) return [[text, true]]
  return [[text, false], ...parsed(text).compared.map((query): Query => [query, true])]
}
