/** The tables of docs/scale.md, each between two marks: `<!-- capacity NAME -->` and `<!-- end -->`. */
import { measuredRatios, oneNode, operationNames, perVersion } from './costs.ts'
import { type Capacity, capacityOf } from './model.ts'
import { demands, machines, prices, simulations, waits } from './scenarios.ts'
import { type Outcome, simulate, simulatePuts } from './simulation.ts'

type Row = readonly string[]
const line = (row: Row): string => `| ${row.join(' | ')} |`
const table = (head: Row, rows: readonly Row[]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
/** Three digits: more would promise too much. */
const dollars = (value: number): string => `$${whole(Number(value.toPrecision(3)))}`
const share = (value: number): string => `${(value * 100).toFixed(0)} %`

function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB']
  let [unit, left] = [0, value]
  for (; left >= 1000; left /= 1000) unit++
  return `${left >= 100 ? left.toFixed(0) : left.toFixed(1)} ${units[unit]}`
}

const capacityRows: readonly (readonly [title: string, show: (capacity: Capacity) => string])[] = [
  ['versions', ({ versions }) => versions.toExponential(1)],
  ['events', ({ eventBytes }) => bytes(eventBytes)],
  ['rows and small objects', ({ rowBytes }) => bytes(rowBytes)],
  ['all databases, one copy', ({ databaseBytes }) => bytes(databaseBytes)],
  ['blobs', ({ blobBytes }) => bytes(blobBytes)],
  [
    'logs by bytes; by processor time; by nodes',
    (found) => [found.shardsByBytes, found.shardsByProcessors, found.shardsByNodes].map(whole).join('; '),
  ],
  ['**logs**', ({ shards }) => `**${whole(shards)}**`],
  [
    'database of one log, its rows',
    ({ bytesOfShard, rowsOfShard }) => `${bytes(bytesOfShard)}, ${rowsOfShard.toExponential(1)}`,
  ],
  ['levels of its index', ({ indexLevels }) => String(indexLevels)],
  ['nodes, of each log', ({ nodes, nodesOfShard }) => `${whole(nodes)}, ${nodesOfShard}`],
  [
    'requests to the blob store at the peak: PUT, GET and HEAD',
    (found) => `${whole(found.blobPutsPerSecond)}/s, ${whole(found.blobGetsPerSecond)}/s`,
  ],
  ['loading it at full speed', ({ daysToLoad }) => `${daysToLoad.toFixed(1)} days`],
  ['PUT requests of the loading', ({ dollarsToLoad }) => dollars(dollarsToLoad)],
  ['a month: processors', ({ monthly }) => dollars(monthly.processors)],
  ['a month: disks of databases', ({ monthly }) => dollars(monthly.database)],
  ['a month: bytes of blobs', ({ monthly }) => dollars(monthly.blobs)],
  ['a month: requests to the blob store', ({ monthly }) => dollars(monthly.requests)],
  ['**a month**', ({ monthly }) => `**${dollars(monthly.all)}**`],
]

function capacityTable(): string {
  const found = demands.map(([, demand]) => capacityOf(demand, machines, prices))
  return table(
    ['', ...demands.map(([title]) => title)],
    capacityRows.map(([title, show]) => [title, ...found.map(show)]),
  )
}

function costsTable(): string {
  const titles = {
    put: 'PUT of 4 KiB',
    get: 'GET of 4 KiB',
    list: 'page of 1000',
    putLong: 'PUT of 1 MiB',
    getLong: 'GET of 1 MiB',
  }
  const rows = operationNames.map((name) => {
    const { node, database, blobs } = oneNode[name]
    return [titles[name], `${node} ms`, `${database} ms`, `${blobs} ms`]
  })
  const bytesOf = [`${perVersion.events} B of events, ${perVersion.rows} B in ${perVersion.rowCount} rows`, '', '']
  return table(['Request', 'Node', 'Database', 'Blob store'], [...rows, ['A version in the database', ...bytesOf]])
}

const simulatedRow = (outcome: Outcome): Row => [
  `${whole(outcome.answeredPerSecond)}/s`,
  `${outcome.p50Ms.toFixed(0)} ms, ${outcome.p99Ms.toFixed(0)} ms`,
  share(outcome.nodeUse),
  share(outcome.databaseUse),
  outcome.skew.toFixed(2),
  outcome.putsPerCommit.toFixed(1),
  outcome.conflictsPerCommit.toFixed(2),
]

function simulationTable(): string {
  const rows = simulations.map((setting) => [
    String(setting.shards),
    String(setting.nodesOfShard),
    setting.zipf.toFixed(1),
    `${whole(setting.demand.requestsPerSecond)}/s`,
    ...simulatedRow(simulate(setting)),
  ])
  const outcome = ['Answered', 'p50, p99', 'Node', 'Database', 'Busiest log', 'PUTs a commit', 'Conflicts a commit']
  return table(['Logs', 'Nodes of each', 'Zipf', 'Offered', ...outcome], rows)
}

/** The simulation is told the costs of one node only, and so what it finds for more nodes can be wrong. */
function checkTable(): string {
  const one = simulatePuts(1, 12, checkedWaits)
  const rows = measuredRatios.map(([nodes, measured]) => {
    const { ms } = simulatePuts(nodes, 12, checkedWaits)
    return [`${nodes} nodes to one`, measured, (ms / one.ms).toFixed(2)]
  })
  return table(['Processor time of a PUT of 4 KiB', 'Measured', 'Simulated'], rows)
}
/** On one machine. */
const checkedWaits = { roundTripMs: 0.05, syncMs: waits.syncMs }

export const tables: Readonly<Record<string, () => string>> = {
  costs: costsTable,
  capacity: capacityTable,
  check: checkTable,
  simulation: simulationTable,
}

/** The page with every table as the code has it. @throws Error if the page has a mark of a table that there is not */
export function withTables(page: string): string {
  return page.replaceAll(
    /(<!-- capacity (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      const make = tables[name]
      if (make === undefined) throw new Error(`There is no table ${name}.`)
      return `${begin}\n${make()}\n\n${end}`
    },
  )
}
