/** Which object or version an operation is about. */
export interface ObjectReference {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string | undefined
  readonly at?: string | undefined
}

export const versionQuery = ({ versionId }: ObjectReference): readonly (readonly [string, string])[] =>
  versionId === undefined ? [] : [['versionId', versionId]]
