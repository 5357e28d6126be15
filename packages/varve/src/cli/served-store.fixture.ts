/** A server in front of an open store, and the environment in which commands reach it. */
import type { Store } from '@varve/core'
import { vi } from 'vitest'
import { createIdentity, parsePolicy, serve } from '../http.ts'

const secret = 'a-secret-of-some-length'

/** The name of the local actor, so that the log has the same actor whichever way a command took. */
const root = createIdentity({
  name: 'local',
  id: 'local',
  accessKeyId: 'VARVEROOT',
  secretAccessKey: secret,
  root: true,
})
const auditor = createIdentity({
  name: 'auditor',
  accessKeyId: 'VARVEAUDITOR',
  secretAccessKey: secret,
  policy: parsePolicy({ Statement: { Effect: 'Allow', Action: 'varve:ReadLog', Resource: '*' } }),
})

export interface Served {
  /** The options that name the server. */
  readonly args: readonly string[]
  close(): Promise<void>
}

/** @param as The identity whose keys are in the environment until it is closed. */
export async function served(store: Store, as: 'root' | 'auditor' = 'root'): Promise<Served> {
  const server = await serve({ store, controlStore: () => store, identities: [root, auditor], port: 0 })
  vi.stubEnv('VARVE_ACCESS_KEY_ID', (as === 'root' ? root : auditor).accessKeyId)
  vi.stubEnv('VARVE_SECRET_ACCESS_KEY', secret)
  return {
    args: ['--endpoint', server.url],
    async close() {
      vi.unstubAllEnvs()
      await server.close({ graceMs: 0 })
    },
  }
}
