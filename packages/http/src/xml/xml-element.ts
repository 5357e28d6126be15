/** An element as data, from either parser. */
export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string
  readonly children: readonly XmlElement[]
  /** Value of `xsi:type`: the one attribute that matters. */
  readonly type?: string
  /** All text directly inside, references decoded; pieces around elements, comments and CDATA are joined. */
  readonly text: string
}
