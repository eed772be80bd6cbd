#!/usr/bin/env python3
"""Reads a table file, after docs/format.md alone: an independent check of both.

    scripts/read_table.py tables/russian/KMvK.wld
    scripts/read_table.py tables/russian/KMvK.dtw     (KMvK.wld must lie beside it)
    scripts/read_table.py tables/russian/*.wld        (a line "==> FILE <==" before the lines of each)

Prints a line for each position that the file says something of, White to move: its index, its FEN, and "win", "draw" or
"loss", for .dtw files followed by the plies. Where the side to move has a capture the line means nothing: files hold any value there.
Exit code: 0, or 2 if the file cannot be read. Python 3 and zstandard; checksums are compared if xxhash is there too. Takes about ten
microseconds a position.
"""
import argparse
import bisect
import functools
import itertools
import math
import pathlib
import struct
import sys

import zstandard

try:
    import xxhash
except ImportError:
    xxhash = None

MAGIC = b'\x8bDAMKA\r\n\x1a\n'
HEADER = struct.Struct('<10sHIQQ24s32s4BBBBBIIIBBH5QQIIQQ')
CONSTANT, ZSTD, CONTEXT = range(3)
RESULTS = ('loss', 'draw', 'win')
# Width, height, and whether a square in this column and row (from 0) is played on.
DARK8 = (8, 8, lambda column, row: (column + row) % 2 == 0)
LIGHT8 = (8, 8, lambda column, row: (column + row) % 2 == 1)
BOARDS = {
    'italian': LIGHT8, 'spanish': LIGHT8, 'portuguese': LIGHT8,
    'turkish': (8, 8, lambda column, row: True),
    'alquerque': (5, 5, lambda column, row: True),
    'canadian': (12, 12, DARK8[2]),
}
BOARDS |= dict.fromkeys(('international', 'international-giveaway', 'killer', 'frisian'), (10, 10, DARK8[2]))
BOARDS |= dict.fromkeys(('russian', 'russian-giveaway', 'russian-majority', 'brazilian', 'brazilian-giveaway', 'pool', 'english',
                         'english-giveaway', 'czech', 'thai'), DARK8)
ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
EIGHTHS = (65536, 60097, 55109, 50535, 46341, 42495, 38968, 35734)
NONE = 3


class BadTable(Exception):
    """What is wrong with a file."""


def check(right, what):
    if not right:
        raise BadTable(what)


def checksum(data, expected, what):
    if xxhash is not None:
        check(xxhash.xxh3_64_intdigest(data) == expected, 'checksum of ' + what)


def decompress(frame, length):
    """A frame without magic number, of so many bytes once decompressed."""
    try:
        data = zstandard.ZstdDecompressor().decompress(b'\x28\xb5\x2f\xfd' + frame, max_output_size=max(length, 1))
    except zstandard.ZstdError as error:
        raise BadTable('a frame: %s' % error) from error
    check(len(data) == length, 'length of a frame')
    return data


class Slice:
    """The positions of a slice, by index. A position is four tuples of squares: own kings, the other side's kings, its men, own men."""

    def __init__(self, variant, counts):
        self.width, self.height, played = BOARDS[variant]
        places = [(c, r) for r in range(self.height) for c in range(self.width) if played(c, r)]
        self.places, self.number = places, {place: square for square, place in enumerate(places)}
        self.own_kings, self.own_men, self.opp_kings, self.opp_men = counts
        self.squares = len(places)
        crowned = variant != 'alquerque'
        self.men_squares = [
            {s for s, (_, row) in enumerate(places) if not crowned or row != self.height - 1},
            {s for s, (_, row) in enumerate(places) if not crowned or row != 0},
        ]
        straight = len(places) == self.width * self.height
        steps = ((0, -1), (-1, 0)) if straight else ((-1, -1), (1, -1))
        self.before = [[self.number.get((c + x, r + y)) for x, y in steps] for c, r in places]
        # For each rank of own men, the number of units before it.
        self.units, total = [], 0
        for own in self.sets(self.own_men, sorted(self.men_squares[0])):
            self.units.append(total)
            total += math.comb(len(self.men_squares[1] - set(own)), self.opp_men)
        free = self.squares - self.own_men - self.opp_men
        self.opp_sets = math.comb(free, self.opp_kings)
        self.own_sets = math.comb(free - self.opp_kings, self.own_kings)
        self.positions = total * self.opp_sets * self.own_sets
        # Each square turned, reflected in the diagonal from the bottom left corner, and both.
        turned = range(self.squares - 1, -1, -1)
        reflected = [self.number[r, c] for c, r in places]
        self.symmetries = [range(self.squares), turned, reflected, [turned[s] for s in reflected]]

    @staticmethod
    def sets(size, squares):
        """Sets of so many of these squares, by rank."""
        return sorted(itertools.combinations(squares, size), key=lambda s: s[::-1])

    def all(self):
        """All positions in the order of the index."""
        for own_men in self.sets(self.own_men, sorted(self.men_squares[0])):
            for opp_men in self.sets(self.opp_men, sorted(self.men_squares[1] - set(own_men))):
                free = [s for s in range(self.squares) if s not in own_men and s not in opp_men]
                for opp_kings in self.sets(self.opp_kings, free):
                    for own_kings in self.sets(self.own_kings, [s for s in free if s not in opp_kings]):
                        yield own_kings, opp_kings, opp_men, own_men

    @staticmethod
    def rank(squares, taken):
        """Rank of a set, packed among the squares that are not taken; both are sorted."""
        return sum(math.comb(s - bisect.bisect(taken, s), i) for i, s in enumerate(squares, 1))

    # Positions one after the other have the same men.
    @functools.lru_cache(maxsize=64)
    def unit(self, own_men, opp_men):
        """Number of the unit with these men, and their squares."""
        first_row = set(range(self.squares)) - self.men_squares[1]
        unit = self.units[self.rank(own_men, ())] + self.rank(opp_men, sorted(first_row | set(own_men)))
        return unit, sorted(own_men + opp_men)

    def index(self, position):
        """Index of a position whose sets are sorted."""
        own_kings, opp_kings, opp_men, own_men = position
        unit, men = self.unit(own_men, opp_men)
        opp = self.rank(opp_kings, men)
        own = self.rank(own_kings, sorted(men + list(opp_kings)))
        return (unit * self.opp_sets + opp) * self.own_sets + own

    def stored_index(self, index, position):
        """Where the value of the position with this index is: of kings alone, only a quarter is stored."""
        if self.own_men or self.opp_men:
            return index
        images = ([tuple(sorted(image[s] for s in squares)) for squares in position] for image in self.symmetries)
        return min(map(self.index, images))

    def neighbours(self, position):
        """Indices of x1, x2, y1, y2, z1, z2; None where there is none."""
        taken = set().union(*position)
        found = []
        pieces = [(kind, square) for kind in range(4) for square in position[kind]]
        for kind, square in pieces[:3]:
            for to in self.before[square]:
                allowed = to is not None and to not in taken
                if allowed and kind >= 2:
                    allowed = to in self.men_squares[3 - kind]
                if allowed:
                    moved = list(position)
                    moved[kind] = tuple(sorted(to if s == square else s for s in position[kind]))
                    found.append(self.index(moved))
                else:
                    found.append(None)
        return found + [None] * (6 - len(found))

    def fen(self, position):
        def name(square):
            column, row = self.places[square]
            return 'abcdefghijkl'[column] + str(row + 1)
        own_kings, opp_kings, opp_men, own_men = position
        side = lambda kings, men: ','.join(['K' + name(s) for s in kings] + [name(s) for s in men])
        return 'W:W%s:B%s' % (side(own_kings, own_men), side(opp_kings, opp_men))


UNKNOWN = (10, 22, 26, 32, 38, 44, 48, 50)
WEIGHTS = (3, 3, 2, 2, 2, 2, 2)


def unknown_miss(neighbours, others):
    return power(UNKNOWN[neighbours] if others == 0 else {1: 18, 2: 12}.get(others, 10))


def power(eighths):
    return min(max(EIGHTHS[eighths % 8] >> (eighths // 8), 1), 65535)


def range_decoder(stored):
    """A function that reads the next decision, given its probability."""
    code, at, whole = int.from_bytes(stored[:8].ljust(8, b'\0'), 'big'), 8, (1 << 64) - 1

    def decide(probability):
        nonlocal code, at, whole
        bound = (whole >> 16) * probability
        yes = code < bound
        if yes:
            whole = bound
        else:
            code, whole = code - bound, whole - bound
        if whole < 1 << 32:
            four = stored[at:at + 4].ljust(4, b'\0')
            code, at, whole = (code << 32 | int.from_bytes(four, 'big')) & ((1 << 64) - 1), at + 4, whole << 32
        return yes

    return decide


class Table:
    def __init__(self, path):
        self.path = path
        data = path.read_bytes()
        check(data[:10] == MAGIC, 'magic number')
        check(len(data) >= HEADER.size, 'length of the header')
        fields = HEADER.unpack_from(data)
        (_, version, header_len, file_len, _, variant, name, *fields) = fields
        counts, fields = fields[:4], fields[4:]
        (self.metric, squares, self.width, self.parity, self.block_len, win, loss, self.codec, self.results, self.symbol,
         self.positions, *_, blocks, values, model_len, index_len, tail_sum, header_sum) = fields
        check((version, header_len) == (3, HEADER.size), 'format version')
        checksum(data[:176], header_sum, 'the header')
        check(file_len == len(data), 'length of the file')
        self.variant, self.name = (text.rstrip(b'\0').decode('ascii', 'replace') for text in (variant, name))
        check(self.variant in BOARDS, 'variant')
        check(sum(counts) <= 8 and sum(counts[:2]) and sum(counts[2:]), 'piece counts')
        check(self.metric in (1, 2) and self.codec in (CONSTANT, ZSTD, CONTEXT), 'metric and codec')
        check(1024 <= self.block_len <= 262144, 'positions in each block')
        check(self.parity <= 1 and self.width in ((1,), (1, 2))[self.metric - 1], 'parity and bytes of a symbol')
        # Of the longest win and the longest loss, the greater half distance; there may be none of either.
        self.greatest = 242 if self.metric == 1 else max(0 if plies == 0xffffffff else plies // 2 for plies in (win, loss))
        self.slice = Slice(self.variant, counts)
        check(self.slice.squares == squares, 'squares')
        check(self.slice.positions == self.positions, 'number of positions')
        check(blocks == -(-self.positions // self.block_len), 'number of blocks')
        tail = len(data) - model_len - index_len
        checksum(data[tail:], tail_sum, 'model and index')
        model, index = data[tail:tail + model_len], data[tail + model_len:]
        model_size = 2 << 14 if self.metric == 1 else 16578
        self.model = decompress(model, model_size) if self.codec == CONTEXT else None
        lengths, checks = [0] * blocks, [self.symbol] * blocks
        if self.codec != CONSTANT:
            index = decompress(index, 6 * blocks)
            lengths = struct.unpack_from('<%dH' % blocks, index)
            checks = struct.unpack_from('<%dI' % blocks, index, 2 * blocks)
        self.decoded, at = [], HEADER.size
        positions = self.slice.all()
        for number, (length, check_sum) in enumerate(zip(lengths, checks)):
            start = number * self.block_len
            count = min(self.block_len, self.positions - start)
            stored, at = data[at:at + length], at + length
            block_positions = itertools.islice(positions, count)
            if length and xxhash is not None:
                check(xxhash.xxh3_64_intdigest(stored) & 0xffffffff == check_sum, 'checksum of block %d' % number)
            block = self.decode(stored, check_sum, start, count, list(block_positions))
            check(all(self.symbol_in(block, n) <= self.greatest for n in range(len(block) // self.width)), 'symbols')
            self.decoded.append(block)
        check(at == tail, 'lengths of blocks')
        checksum(b''.join(self.decoded), values, 'the values')

    def decode(self, stored, symbol, start, count, positions):
        symbols = -(-count // 5) if self.metric == 1 else count
        if not stored:
            check(symbol <= self.greatest, 'symbol of block %d' % (start // self.block_len))
            return symbol.to_bytes(self.width, 'little') * symbols
        if self.codec == ZSTD:
            return decompress(stored, symbols * self.width)
        decide = range_decoder(stored)
        code = self.result if self.metric == 1 else self.distance
        symbols = []
        for place, position in enumerate(positions):
            near = [symbols[n - start] if n is not None and start <= n < start + place else None
                    for n in self.slice.neighbours(position)]
            symbols.append(code(decide, near + [symbols[-1] if symbols else None]))
        if self.metric == 2:
            check(max(symbols) <= self.greatest, 'symbols')
            return b''.join(half.to_bytes(self.width, 'little') for half in symbols)
        symbols += [0] * (-len(symbols) % 5)
        return bytes(sum(d * 3 ** i for i, d in enumerate(symbols[n:n + 5])) for n in range(0, len(symbols), 5))

    def result(self, decide, near):
        x1, x2, y1, y2, z1, z2, last = (NONE if n is None else n for n in near)
        context = last + 4 * x2 + 16 * x1 + 64 * y1 + 256 * y2 + 1024 * z1 + 4096 * z2
        a, b = self.model[context], self.model[(1 << 14) + context]
        if b == 0:
            order = sorted(range(3), key=lambda r: (-near.count(r), (2, 0, 1)[r]))
            known = len(near) - near.count(None)
            miss, least = unknown_miss(known, known - near.count(order[0])), power(8)
        else:
            order = ORDERS[(b - 1) // 32]
            miss, least = power(a), power(8 + 2 * ((b - 1) % 32))
        if decide(65536 - miss):
            return order[0]
        return order[1] if decide((65536 - least) // 64 * 64) else order[2]

    def distance(self, decide, near):
        weights = {}
        for half, weight in zip(near, WEIGHTS):
            if half is not None:
                weights[half] = weights.get(half, 0) + weight
        # Sorting keeps the order in which equal ones came.
        ranked = sorted(weights, key=lambda half: -weights[half])
        guess = ranked[0] if ranked else int.from_bytes(self.model[:2], 'little')
        second = ranked[1] if len(ranked) > 1 else None
        different = min(max(len(ranked), 1), 4) - 1
        relations = [3 if n is None else (n < guess) + 2 * (n > guess) for n in near]
        pattern = sum(relation << 2 * (6 - slot) for slot, relation in enumerate(relations))
        kind = 12 * different + (11 if second is None else 5 + min(max(second - guess, -5), 5))

        def decision(place):
            byte = self.model[2 + place]
            if byte:
                rarer = power(8 + (byte - 1) % 128)
                return decide(rarer if byte >= 129 else 65536 - rarer)
            if place >= 16384:
                return decide(32768)
            known = len(near) - near.count(None)
            return decide(65536 - unknown_miss(known, relations.count(1) + relations.count(2)))

        if decision(pattern):
            return guess
        if second is not None and decision(16384 + kind):
            return second
        up = decision(16432 + kind)
        steps = next((k for k in range(12) if decision(16480 + 12 * (2 * different + up) + k)), 12)
        away = steps + 1
        if steps == 12:
            for bit in range(14, -1, -1):
                away += decide(32768) << bit
        return guess + away if up else guess - away

    def symbol_in(self, block, place):
        return int.from_bytes(block[place * self.width:(place + 1) * self.width], 'little')

    def symbol_at(self, index):
        block, place = divmod(index, self.block_len)
        block = self.decoded[block]
        if self.metric == 1:
            return block[place // 5] // 3 ** (place % 5) % 3
        return self.symbol_in(block, place)


# Distances come after the results that they need.
@functools.lru_cache(maxsize=2)
def read(path):
    return Table(path)


def lines(path):
    table = read(path)
    wld = table
    if table.metric == 2:
        wld = read(path.with_suffix('.wld'))
        check((wld.variant, wld.name) == (table.variant, table.name), 'the .wld file beside it')
    for index, position in enumerate(table.slice.all()):
        stored = table.slice.stored_index(index, position)
        result = wld.symbol_at(stored)
        line = '%d\t%s\t%s' % (index, table.slice.fen(position), RESULTS[result])
        if table.metric == 2:
            if result == 1 or not table.results & (1 if result == 0 else 2):
                continue
            parity = table.parity if result == 0 else 1 - table.parity
            line += '\t%d' % (2 * table.symbol_at(stored) + parity)
        yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tables', type=pathlib.Path, nargs='+', metavar='table', help='a .wld or .dtw file')
    tables = parser.parse_args().tables
    try:
        for table in tables:
            if len(tables) > 1:
                print('==> %s <==' % table)
            for line in lines(table):
                print(line)
    except BrokenPipeError:
        sys.stderr.close()
    except (OSError, BadTable) as error:
        print('read_table.py: %s: %s' % (table, error), file=sys.stderr)
        sys.exit(2)


if __name__ == '__main__':
    main()
