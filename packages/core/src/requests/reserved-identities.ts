/** The identities that a server has besides those of the log. No identity of the log can take their place. */
import { StorageError } from '../base/errors.ts'
import { areNamesakes, folded } from '../naming/namesakes.ts'
import type { AccessKeyPair } from '../ports/index.ts'

/** An identity that the owner of a server configures. */
export interface ReservedIdentity {
  readonly name: string
  readonly id: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly email?: string
  /** Root stays configured: the log never has it. */
  readonly root?: boolean
}

/** The fields of a new identity that must be its own. */
export interface ClaimedFields {
  readonly name?: string
  readonly id?: string
  readonly email?: string
}

const fields = ['name', 'id', 'accessKeyId', 'email'] as const
type Field = (typeof fields)[number]

export class ReservedIdentities {
  #holders: ReadonlyMap<string, readonly ReservedIdentity[]> = new Map()

  /** From now on these are reserved, and no others. */
  replace(identities: readonly ReservedIdentity[]): void {
    const holders = new Map<string, ReservedIdentity[]>()
    for (const identity of identities) {
      for (const field of fields) {
        const value = identity[field]
        if (value === undefined) continue
        const place = placeOf(field, value)
        holders.set(place, [...(holders.get(place) ?? []), identity])
      }
    }
    this.#holders = holders
  }

  /**
   * A configured identity itself may move into the log, with its name, id and key. Its secret proves that it is the same one.
   * @throws StorageError `EntityAlreadyExists`
   */
  assertFree(claimed: ClaimedFields, key: AccessKeyPair | undefined): void {
    const given = { ...claimed, accessKeyId: key?.accessKeyId }
    for (const field of fields) {
      const value = given[field]
      if (value === undefined) continue
      const holders = this.#holders.get(placeOf(field, value)) ?? []
      const taken = holders.filter((holder) => field !== 'name' || areNamesakes(holder.name, value))
      if (taken.some((holder) => !isMoving(holder, claimed, key))) throw reserved(field)
    }
  }
}

/** All names with the same end have one place. */
const placeOf = (field: Field, value: string): string =>
  `${field} ${field === 'name' ? folded(value).replace(/^.*\//s, '') : folded(value)}`

const isMoving = (holder: ReservedIdentity, { name, id }: ClaimedFields, key: AccessKeyPair | undefined): boolean =>
  holder.root !== true &&
  holder.name === name &&
  holder.id === id &&
  holder.accessKeyId === key?.accessKeyId &&
  holder.secretAccessKey === key.secretAccessKey

const words = { name: 'name', id: 'id', accessKeyId: 'access key id', email: 'e-mail address' } as const

const reserved = (field: Field): StorageError =>
  new StorageError('EntityAlreadyExists', `An identity of the server's configuration has this ${words[field]}.`, {
    details: { Field: field },
  })
