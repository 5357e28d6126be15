/** A bucket without one never had versioning set. */
export type VersioningStatus = 'Enabled' | 'Suspended'
