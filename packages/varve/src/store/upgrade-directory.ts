/** Upgrades a directory of an older format while it stays locked. The old log is in use until the new one is complete. */
import { type DirectoryUpgrade, nodeHashing, type StoreDirectory, type UpgradeTarget } from '@varve/adapters'
import { continuesUpgrade, isStorageError, upgradeLog, type UpgradeOptions } from '@varve/core'

/** How an upgrade is watched and ended. */
export type UpgradeWatching = Pick<UpgradeOptions, 'signal' | 'onProgress'>

type Upgrade = DirectoryUpgrade<StoreDirectory>

/**
 * The directory itself, if it has the current format. Otherwise it is closed, and the result is the upgraded one.
 * @throws StorageError `NoSpace`, `LogCorrupt`, `AcknowledgedWritesLost`, `JournalFailed`; the reason of `signal`. The
 * directory is then closed, and the next upgrade continues this one.
 */
export async function upgradedDirectory(directory: StoreDirectory, watching: UpgradeWatching): Promise<StoreDirectory> {
  const { upgrade } = directory
  if (upgrade === undefined) return directory
  try {
    await writeNewLog(directory, upgrade, watching)
    return await upgrade.finish()
  } catch (error) {
    await directory.close().catch(() => undefined)
    throw error
  }
}

async function writeNewLog(directory: StoreDirectory, upgrade: Upgrade, watching: UpgradeWatching): Promise<void> {
  // The old log is only read. If the upgrade fails, its files are sealed again as they were.
  if (directory.sealed) directory.markSound()
  const options = {
    from: directory.journal,
    hashing: await nodeHashing(),
    formats: { from: upgrade.from, to: upgrade.to },
    witness: await directory.witness.read(),
    ...watching,
  }
  const target = await openTarget(upgrade, options)
  try {
    const { tip } = await upgradeLog({ ...options, into: target.journal })
    if (tip !== undefined) await target.witness.write(tip)
  } catch (error) {
    await target.close().catch(() => undefined)
    if (isUseless(error)) await upgrade.discard()
    throw error
  }
  await target.close()
}

/** What was written was read back and is damaged: the next upgrade begins again. */
const isUseless = (error: unknown): boolean =>
  isStorageError(error, 'LogCorrupt') && error.details['kind'] === 'migration'

/** The log of an interrupted upgrade, if it belongs to this store as it is now; otherwise an empty one. */
async function openTarget(upgrade: Upgrade, options: Omit<UpgradeOptions, 'into'>): Promise<UpgradeTarget> {
  const target = await upgrade.open()
  try {
    if (await continuesUpgrade({ ...options, into: target.journal })) return target
  } catch (error) {
    await target.close().catch(() => undefined)
    throw error
  }
  await target.close()
  await upgrade.discard()
  return upgrade.open()
}
