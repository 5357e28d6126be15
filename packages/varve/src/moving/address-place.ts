import { blobsAt } from '../parts/blobs-address.ts'
import { journalAt } from '../parts/journal-address.ts'
import { openPartsAt } from '../parts/open-at-addresses.ts'
import type { Place } from './place.ts'

/** The addresses of a journal and of blobs. */
export interface AddressPair {
  readonly journal: string
  readonly blobs: string
}

const pairForm = /^(?<journal>postgres(?:ql)?:\/\/.+?)\+(?<blobs>(?:s3|file):\/\/.+)$/

/** The two addresses in `postgres://…+s3://…`; `undefined` for another text. */
export function addressPair(text: string): AddressPair | undefined {
  const { journal, blobs } = pairForm.exec(text)?.groups ?? {}
  return journal === undefined || blobs === undefined ? undefined : { journal, blobs }
}

/** @throws StorageError `InvalidArgument` for addresses that name nothing */
export function addressPlace(pair: AddressPair): Place {
  journalAt(pair.journal)
  blobsAt(pair.blobs)
  const name = nameOf(pair)
  const open = async (create: boolean) => ({ name, ...(await openPartsAt(pair, { create })) })
  return { name, openSource: () => open(false), openTarget: () => open(true) }
}

/** Both addresses in one text. */
export const nameOf = ({ journal, blobs }: AddressPair): string => `${journal}+${blobs}`
