/** The addresses of a journal and of blobs that several servers share. */
import { hostname } from 'node:os'
import { limits } from '@varve/core'
import { blobsAt } from '../../parts/blobs-address.ts'
import { journalAt } from '../../parts/journal-address.ts'
import { NodeStatus } from '../../parts/node-status.ts'
import type { StoreAddresses } from '../../parts/open-at-addresses.ts'
import { UsageError } from '../support/exit-codes.ts'
import type { ServerSettings } from './server-settings.ts'

type Given = Partial<ServerSettings>

/** What only a directory has. */
const ofDirectories: readonly (readonly [option: string, isGiven: (given: Given) => boolean])[] = [
  ['--layout', ({ layout }) => layout !== undefined],
  ['--workers', ({ workers = 1 }) => workers > 1],
  ['--check', ({ check = 'bytes' }) => check !== 'bytes'],
  ['--witness', ({ witness = 'trailing' }) => witness !== 'trailing'],
]

/** What only a server of `--journal` has. */
const ofNodes: readonly (readonly [option: string, isGiven: (given: Given) => boolean])[] = [
  ['--node-name', ({ nodeName }) => nodeName !== undefined],
  ['--stale', ({ stale = 0 }) => stale > 0],
  ['--drain', ({ drain = 0 }) => drain > 0],
]

/** `undefined` for a store in a directory. */
export const addressesOf = ({ journal, blobs }: Given): StoreAddresses | undefined =>
  journal === undefined || blobs === undefined ? undefined : { journal, blobs }

/** What such a server says about itself. `undefined` for a store in a directory. */
export function nodeStatusOf(settings: Pick<ServerSettings, 'journal' | 'nodeName' | 'port'>): NodeStatus | undefined {
  const { journal, nodeName, port } = settings
  if (journal === undefined) return undefined
  return new NodeStatus(nodeName ?? (port === 0 ? hostname() : `${hostname()}:${port}`))
}

/** @throws UsageError; StorageError `InvalidArgument` for an address that names nothing */
export function checkAddresses(given: Given): void {
  const addresses = addressesOf(given)
  if (addresses === undefined) {
    if (given.journal !== undefined || given.blobs !== undefined)
      throw new UsageError('--journal and --blobs need each other: the log of a store knows its blobs.')
    const wrong = ofNodes.find(([, isGiven]) => isGiven(given))
    if (wrong === undefined) return
    throw new UsageError(`${wrong[0]} is for servers of --journal, and not for that of a directory.`)
  }
  journalAt(addresses.journal)
  blobsAt(addresses.blobs)
  const wrong = ofDirectories.find(([, isGiven]) => isGiven(given))
  if (wrong !== undefined) throw new UsageError(`${wrong[0]} is for stores in directories, not for those of --journal.`)
  if ((given.stale ?? 0) > limits.staleMsMax) throw new UsageError('--stale is at most 1min.')
}
