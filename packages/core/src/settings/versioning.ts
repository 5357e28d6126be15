/** The versioning state of a bucket; absent if versioning was never set. */
export type VersioningStatus = 'Enabled' | 'Suspended'
