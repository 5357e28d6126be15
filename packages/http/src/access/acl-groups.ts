import type { AclGroup } from '@varve/core'

const addresses = {
  AllUsers: 'http://acs.amazonaws.com/groups/global/AllUsers',
  AuthenticatedUsers: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
  LogDelivery: 'http://acs.amazonaws.com/groups/s3/LogDelivery',
} as const satisfies Record<AclGroup, string>

/** How S3 names a group to its clients. */
export const groupUri = (group: AclGroup): string => addresses[group]

export const groupOfUri = (uri: string): AclGroup | undefined =>
  (Object.keys(addresses) as AclGroup[]).find((group) => addresses[group] === uri)
