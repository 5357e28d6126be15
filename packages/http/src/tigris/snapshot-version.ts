/**
 * Versions of snapshots. Here they are positions; the name of a snapshot is accepted too. Nanoseconds since the epoch, which
 * are the versions of Tigris, mean the time.
 */

import type { SnapshotInfo } from '@varve/core'

/** Nanoseconds have 19 digits until the year 2286. No log has as many events. */
const nanoseconds = /^\d{19}$/

const timeOf = (version: string): string => new Date(Number(version.slice(0, 13))).toISOString()

/** The moment in the form of `x-varve-at`. */
export const momentOf = (version: string): string => (nanoseconds.test(version) ? timeOf(version) : version)

/** `BUCKET--at-MOMENT`. */
export function asOfNameOf(bucket: string, version: string): string {
  const moment = nanoseconds.test(version) ? timeOf(version).replaceAll(/[-:.]/g, '').toLowerCase() : version
  return `${bucket}--at-${moment}`
}

export const versionOf = ({ seq }: SnapshotInfo): string => String(seq)

export const hasVersion = (snapshot: SnapshotInfo, version: string): boolean =>
  version === versionOf(snapshot) || version === snapshot.name
