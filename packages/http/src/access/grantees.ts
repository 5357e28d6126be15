/** Finds the grantees that clients name. Unknown ones are refused with S3's error. */

import type { Actor, Grantee } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { groupOfUri } from './acl-groups.ts'
import type { Identity } from './identity.ts'

/** Looks up all identities of the server. */
export interface People {
  byId(id: string): Identity | undefined
  /** `ambiguous`: several identities have the address. */
  byEmail(email: string): Identity | 'ambiguous' | undefined
  /** Names to show beside ids. `known` may be an identity that was removed since. */
  nameOf(known: Actor): (id: string) => string | undefined
}

export function peopleOf(identities: readonly Identity[]): People {
  const ids = new Map(identities.map((identity) => [identity.id, identity]))
  const emails = new Map<string, Identity | 'ambiguous'>()
  for (const identity of identities) {
    const email = identity.email?.toLowerCase()
    if (email === undefined) continue
    const before = emails.get(email) ?? identity
    emails.set(email, before !== 'ambiguous' && before.id === identity.id ? identity : 'ambiguous')
  }
  return {
    byId: (id) => ids.get(id),
    byEmail: (email) => emails.get(email.toLowerCase()),
    nameOf: (known) => (id) => ids.get(id)?.displayName ?? (id === known.id ? known.name : undefined),
  }
}

/** A grantee as a client names it. `place` names the header or element, for error messages. */
export type Named =
  | { readonly by: 'id'; readonly value: string; readonly place: string }
  | { readonly by: 'uri'; readonly value: string; readonly place: string }
  | { readonly by: 'emailAddress'; readonly value: string; readonly place: string }

/**
 * @param known Ids of owners: accepted even if no identity has them any more.
 * @throws S3Error `InvalidArgument`, `AmbiguousGrantByEmailAddress`, `UnresolvableGrantByEmailAddress`
 */
export function granteeOf({ by, value, place }: Named, people: People, known: readonly string[]): Grantee {
  switch (by) {
    case 'id': {
      if (!known.includes(value) && people.byId(value) === undefined) throw invalid('Invalid id', place, value)
      return { id: value }
    }
    case 'uri': {
      const group = groupOfUri(value)
      if (group === undefined) throw invalid('Invalid group uri', place, value)
      return { group }
    }
    case 'emailAddress': {
      const person = people.byEmail(value)
      if (person === 'ambiguous') {
        throw new S3Error(
          'AmbiguousGrantByEmailAddress',
          'The e-mail address you provided is associated with more than one account.',
          { details: { emailAddress: value } },
        )
      }
      if (person !== undefined) return { id: person.id }
      throw new S3Error(
        'UnresolvableGrantByEmailAddress',
        'The e-mail address you provided does not match any account on record.',
        { details: { emailAddress: value } },
      )
    }
  }
}

function invalid(message: string, name: string, value: string): S3Error {
  return new S3Error('InvalidArgument', message, { details: { ArgumentName: name, ArgumentValue: value } })
}
