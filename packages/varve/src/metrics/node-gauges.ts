/** The metrics of one of several servers of a store: its name, and its connections to the database. */
import type { DatabaseStatus } from '@varve/adapters'
import type { MetricMaker } from './metric-maker.ts'

/** What is measured of a node. */
export interface MeasuredNode {
  readonly name: string
  /** `journal.database()` of `openPostgresJournal`. `undefined` while there is none. */
  database(): DatabaseStatus | undefined
}

/** Registers the gauges, and returns what sets them. Without a node they have no samples. */
export function nodeGauges({ gauge }: MetricMaker, node: () => MeasuredNode | undefined): () => void {
  const info = gauge('node_info', 'The name of this node: 1.', ['node'])
  const silent = gauge('database_silent_seconds', 'How long the database has answered nothing.')
  const connections = gauge('database_connections', 'Connections that are used, and what waits for one.', [
    'use',
    'state',
  ])
  silent.remove()
  return () => {
    const now = node()
    const database = now?.database()
    if (now !== undefined) info.set({ node: now.name }, 1)
    if (database === undefined) return
    silent.set(database.silentMs / 1000)
    for (const use of ['work', 'snapshots'] as const)
      for (const state of ['used', 'waiting'] as const) connections.set({ use, state }, database[use][state])
  }
}
