/** Opens a store without touching any of its files: on read-only media, in a snapshot, or beside its owner. */
import { resolve } from 'node:path'
import { openReadOnlyDirectory } from '@varve/adapters'
import { type Keyring, openForReading, StorageError, type Store } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import { warnOfListener } from '../jobs/warn-of-listener.ts'
import { backgroundOf } from './background.ts'
import { diskScratch } from './disk-scratch.ts'
import { createKeyring } from '../keyring/create-keyring.ts'
import { ownKeysOfOpen } from '../keyring/own-keyring.ts'
import { withFilling } from '../replicas/find-filling.ts'
import { portsOf } from './ports-of.ts'
import { type OpenStoreOptions, withDefaults } from './store-options.ts'
import { keySecrets } from '../files/key-secrets.ts'
import { readOnlyLogSigner } from '../files/log-signer.ts'
import { foundSecret } from '../files/store-secret.ts'

/**
 * @param options Checked options.
 * @throws as `openStore` does
 */
export async function openReadOnly(dir: string, options: OpenStoreOptions): Promise<Store> {
  const { core, background, hashingThreads } = withDefaults(options)
  assertReadsOnly(options)
  const { check = 'bytes', layout, signal, onProgress } = options
  signal?.throwIfAborted()
  const path = resolve(pathOf('dir', dir))
  const directory = await openReadOnlyDirectory(path, { check, layout })
  try {
    const { storeId, sealed, replayedFrom } = directory
    const progress = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
    const keyring = await keyringFor(path, options.keyring)
    const filled = await withFilling(path, directory, keyring)
    const ports = await portsOf(path, filled, { hashingThreads, keyring, observer: options.observer })
    const secret = foundSecret(path)
    const openScratch = () => diskScratch(directory.scratch)
    return await openForReading(
      {
        ...ports,
        secret,
        secrets: keySecrets(path, secret),
        openScratch,
        signer: readOnlyLogSigner(path, storeId),
      },
      { ...core, ...progress, sealed, replayedFrom },
      {
        storeId,
        dir: path,
        layout: directory.layout,
        warn: warnOfListener,
        background: backgroundOf({ sweepEveryMs: 0, idleReads: background.idleReads }),
        closePorts: () => filled.close(),
      },
    )
  } catch (error) {
    await directory.close().catch(() => undefined)
    throw error
  }
}

/** Refuses options that make sense only with writes. */
function assertReadsOnly({
  create,
  controlSocket,
  webhooks = [],
  replicas = [],
  scrub,
  follow,
}: OpenStoreOptions): void {
  const given = { create: create === true, controlSocket: controlSocket === true }
  const forOwners = {
    ...given,
    webhooks: webhooks.length > 0,
    replicas: replicas.length > 0,
    scrub: scrub !== undefined,
    follow: follow !== undefined,
  }
  for (const [name, isGiven] of Object.entries(forOwners)) {
    if (!isGiven) continue
    throw new StorageError('InvalidArgument', `A store that is open to be read alone takes no options.${name}.`, {
      details: { ArgumentName: `options.${name}` },
    })
  }
}

async function keyringFor(dir: string, given: OpenStoreOptions['keyring']): Promise<Keyring | undefined> {
  if (typeof given === 'object') return given
  const own = await ownKeysOfOpen(dir)
  return own && createKeyring(own)
}
