import { HASH, type NumberKind } from './numbers.js';
import { type Guess, guess, isMixture, MISFITS, misfitOf } from './rank.js';
import type { Service } from './services.js';
import { type Clues, KINDS, scoresAlone, toldBy } from './weigh.js';

// Columns of ids of several services.

export interface RowsGuess {
  /** The services that made ids of the column, the one with the most rows first. */
  readonly services: readonly Service[];
  /** For each row, 1 + the place of its service in `services`; 0: it is not an id of a known service, or unclear. */
  readonly of: Uint8Array;
  /** For each service, whether its rows can be named as its own as a fact. */
  readonly sure: readonly boolean[];
  /** The guess for the whole column, as if it had ids of one service. */
  readonly guess: Guess;
}

/** So many rows are weighed to find the services. */
const SAMPLE = 200;

/** What a further service in a column has to explain, in bits: most columns have ids of one. */
const FURTHER = { mixed: 3, other: 9 };
/** More rows than this add no evidence, because rows of one table are alike. */
const MAX_COUNTED = 16;
const MAX_SERVICES = 8;
/** A share of ids as it was before the first id counts as so many ids. */
const BEFORE = 2;
const ROUNDS = 20;

/** So few ids are guessed one by one: that they are of one service is no likelier than that they are of several. */
const FEW = 3;
/** Not of services that few people have ids of. */
const UNCOMMON = -2;
/** Each of so few ids answers for itself, because little else tells that they are of the same service. */
export const SHORT = 20;
const LIKELIER = 0.5;
/** A short list with ids that are, alone, less likely of one service than this may be of several. */
const CLEAR = 0.01;

/** The share of the rows of a service that may be of another one. */
const DOUBT = 0.01;

type Component = Service | NumberKind;
const isService = (one: Component): one is Service => 'layout' in one;

/**
 * Guesses which service each id of a column comes from. Most columns have ids of one service: all rows are its own then.
 * @param ids a whole column
 */
export function guessRows(ids: BigUint64Array, clues: Clues): RowsGuess {
  const sample = sampleOf(ids, clues);
  const one = guess(sample, clues);
  const alone = clues.isList && ids.length <= FEW ? guessAlone(ids, clues) : undefined;
  if (alone !== undefined && alone.services.length > 1) {
    return { ...alone, guess: { ...one, isMixed: true, isSure: false } };
  }
  const find = (further: number) => (one.named === undefined ? separate(sample, clues, further) : []);
  const [{ service }] = one.services;
  const isShort = sample.length <= SHORT;
  const isSeveral = one.isMixed || (isShort && (!one.isKnown || isMixture(sample, service, clues, CLEAR)));
  const found = find(isSeveral ? FURTHER.mixed : FURTHER.other);
  const services = found.filter((part) => isService(part.of));
  if (services.length > Number(one.isKnown && !isSeveral)) {
    const rows = assign(ids, clues, found);
    const isMixed = rows.services.length > 1 || rows.of.includes(0);
    return { ...rows, guess: { ...one, isMixed, isSure: false } };
  }
  const of = new Uint8Array(ids.length);
  if (!one.isKnown) return { services: [], of, sure: [], guess: one };
  fillFitting(of, ids, service);
  const isDoubtful = isShort && isMixture(sample, service, clues, LIKELIER);
  const isSure = one.isSure && !isDoubtful && find(FURTHER.mixed).filter((part) => isService(part.of)).length <= 1;
  return { services: [service], of, sure: [isSure], guess: { ...one, isSure } };
}

/** Of each id what it is likeliest if there were no other. */
function guessAlone(ids: BigUint64Array, clues: Clues): Omit<RowsGuess, 'guess'> {
  const each = Array.from(ids, (id) => guess(BigUint64Array.of(id), clues)).map(({ isKnown, services }) =>
    isKnown && services[0].service.prior > UNCOMMON ? services[0].service : undefined,
  );
  const services = [...new Set(each)].filter((service) => service !== undefined);
  const of = Uint8Array.from(each, (service) => (service ? services.indexOf(service) + 1 : 0));
  return { services, of, sure: services.map(() => false) };
}

function fillFitting(of: Uint8Array, ids: BigUint64Array, { layout }: Service) {
  of.fill(1);
  if (layout.bits === 64 && layout.places.every(({ min }) => min === 0)) return;
  ids.forEach((id, row) => {
    if (misfitOf(layout, id)) of[row] = 0;
  });
}

/** The first ids, which have dates beside them, and others from all over the column. */
export function sampleOf(ids: BigUint64Array, { dates = [] }: Clues): BigUint64Array {
  if (ids.length <= SAMPLE) return ids;
  const first = Math.min(SAMPLE / 2, Math.max(0, ...dates.map(({ length }) => length)));
  // Steps of the golden ratio meet no period that ids may have.
  const at = (i: number) => (i < first ? i : Math.floor(((i * 0.6180339887498949) % 1) * ids.length));
  return BigUint64Array.from({ length: SAMPLE }, (_, i) => ids[at(i)]);
}

type Part = { readonly of: Component; readonly share: number };

/** The services in a sample, and what else is in it; undefined if there is none, or no more than one and nothing else. */
function separate(ids: BigUint64Array, clues: Clues, further: number): Part[] {
  const told = toldBy(clues);
  const all = KINDS.filter((of) => !isService(of) || !of.isOfColumns).map((of) => ({
    of,
    scores: scoresAlone(of, ids, clues, told),
  }));
  const tops = Float64Array.from(ids, (_, row) => Math.max(...all.map(({ scores }) => scores[row])));
  let left = all.filter(({ of, scores }) => !isService(of) || scores.some((score, row) => score === tops[row]));
  for (;;) {
    const mixed = mix(left, tops);
    const worth = left.map(({ of }, place) => {
      if (!isService(of)) return Infinity;
      const gain = mixed.total - mix(left.toSpliced(place, 1), tops).total;
      const own = mixed.rowsOf(place);
      const rows = new Set(own.map((row) => ids[row])).size;
      return (gain / Math.max(1, own.length)) * Math.min(rows, MAX_COUNTED) - further + of.prior;
    });
    const least = Math.min(...worth);
    const services = left.filter(({ of }) => isService(of)).length;
    if (services === 0) return [];
    if (least > 0 && services <= MAX_SERVICES) {
      return left.map(({ of }, place) => ({ of, share: mixed.shares[place] }));
    }
    left = left.toSpliced(worth.indexOf(least), 1);
  }
}

/**
 * The shares of components by expectation and maximisation, and how well they explain all ids, in bits.
 * @param tops the best score of each row
 */
function mix(components: readonly { readonly of: Component; readonly scores: Float64Array }[], tops: Float64Array) {
  const rows = tops.length;
  const priors = components.map(({ of }) => 2 ** of.prior);
  const sum = priors.reduce((total, prior) => total + prior, 0);
  const before = priors.map((prior) => prior / sum);
  // Scores have the prior in them, which kinds of numbers keep: a service explains ids better than a kind that few have.
  const likely = components.map(({ of, scores }) =>
    scores.map((score, row) => 2 ** (score - (isService(of) ? of.prior : 0) - tops[row])),
  );
  let shares = before;
  const mixed = new Float64Array(rows);
  const expect = () => {
    mixed.fill(0);
    likely.forEach((column, c) => {
      for (let row = 0; row < rows; row++) mixed[row] += shares[c] * column[row];
    });
  };
  for (let round = 0; round < ROUNDS; round++) {
    expect();
    shares = likely.map((column, c) => {
      let own = 0;
      for (let row = 0; row < rows; row++) own += (shares[c] * column[row]) / mixed[row];
      return (own + BEFORE * before[c]) / (rows + BEFORE);
    });
  }
  expect();
  return {
    shares,
    total: mixed.reduce((total, of, row) => total + Math.log2(of) + tops[row], 0),
    /** The rows that are more likely of a component than of all others. */
    rowsOf: (c: number) => [...mixed.keys()].filter((row) => 2 * shares[c] * likely[c][row] >= mixed[row]),
  };
}

/** What is less likely by so many bits does not count. */
const NEGLIGIBLE = 30;
/** Rows are weighed so many at a time. */
const PIECE = 16_384;
/** Kinds of numbers with a smaller share of the sample are not looked for. */
const RARE = 0.01;

/** Gives each row to the service of a mixture that it most likely is of, unless it more likely is something else. */
function assign(ids: BigUint64Array, clues: Clues, mixture: readonly Part[]): Omit<RowsGuess, 'guess'> {
  const told = toldBy(clues);
  const parts = mixture
    .filter(({ of, share }) => isService(of) || of === HASH || share >= RARE)
    .map(({ of, share }) => ({ of, share: Math.log2(share) - of.prior })); // scores have the prior in them
  const services = parts.flatMap(({ of }) => (isService(of) ? of : []));
  const of = new Uint8Array(ids.length);
  const [counts, doubts] = [services.map(() => 0), services.map(() => 0)];
  for (let from = 0; from < ids.length; from += PIECE) {
    const piece = ids.subarray(from, from + PIECE);
    const scores = parts.map((part) =>
      scoresAlone(part.of, piece, from === 0 ? clues : { ...clues, dates: undefined }, told).map(
        (score) => score + part.share,
      ),
    );
    for (let row = 0; row < piece.length; row++) {
      let best = 0;
      for (let c = 1; c < scores.length; c++) if (scores[c][row] > scores[best][row]) best = c;
      let [own, all] = [0, 0];
      for (let c = 0; c < scores.length; c++) {
        const below = scores[best][row] - scores[c][row];
        const likely = below === 0 ? 1 : below > NEGLIGIBLE ? 0 : 2 ** -below;
        all += likely;
        if (c < services.length) own += likely;
      }
      if (best >= services.length || 2 * own < all) continue;
      of[from + row] = best + 1;
      counts[best]++;
      doubts[best] += 1 - 1 / all;
    }
  }
  const order = [...services.keys()].filter((c) => counts[c] > 0).sort((a, b) => counts[b] - counts[a]);
  const places = Uint8Array.from([0, ...services.map((_, c) => order.indexOf(c) + 1)]);
  return {
    services: order.map((c) => services[c]),
    of: of.map((number) => places[number]),
    sure: order.map((c) => doubts[c] <= DOUBT * counts[c] && counts[c] >= MISFITS * ids.length),
  };
}
