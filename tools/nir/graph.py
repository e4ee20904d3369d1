# SPDX-License-Identifier: BSL-1.0
"""Graphs of NIR: files read, checked and written, with each refusal in a sentence that names node and field."""

import contextlib
import dataclasses
import os
import pickle
import sys

import numpy


class Wrong(Exception):
    """What is wrong with a file, a graph or an option, in a sentence."""


def h5py():
    try:
        import h5py as found
    except ImportError:
        raise Wrong(f"{sys.executable} has no h5py: install Debian's python3-h5py, and run /usr/bin/python3 tools/nir_import ...") from None
    return found


@dataclasses.dataclass
class Node:
    type: str
    fields: dict  # name to a number, a list of them, or an array
    shape: tuple = None  # of what it puts out, once it was inferred
    in_shape: tuple = None


@dataclasses.dataclass
class Graph:
    nodes: dict  # by name
    edges: list  # of pairs of names
    version: str = ""
    notes: list = dataclasses.field(default_factory=list)  # what was accepted though it is odd

    def sources(self, name):
        return [a for a, b in self.edges if b == name]

    def targets(self, name):
        return [b for a, b in self.edges if a == name]


# Fields by node: those that it must have, and those that it may have.
ARRAYS = {
    "Input": (["shape"], []),
    "Output": (["shape"], []),
    "Affine": (["weight", "bias"], []),
    "Linear": (["weight"], []),
    "Scale": (["scale"], []),
    "Conv1d": (["weight", "stride", "padding", "dilation", "groups", "bias"], ["input_shape"]),
    "Conv2d": (["weight", "stride", "padding", "dilation", "groups", "bias"], ["input_shape"]),
    "SumPool2d": (["kernel_size", "stride", "padding"], []),
    "AvgPool2d": (["kernel_size", "stride", "padding"], []),
    "Flatten": (["input_type"], ["start_dim", "end_dim"]),
    "Delay": (["delay"], []),
    "Threshold": (["threshold"], []),
    "I": (["r"], []),
    "IF": (["r", "v_threshold"], ["v_reset"]),
    "LI": (["tau", "r", "v_leak"], []),
    "LIF": (["tau", "r", "v_leak", "v_threshold"], ["v_reset"]),
    "CubaLI": (["tau_syn", "tau_mem", "r", "v_leak"], ["w_in"]),
    "CubaLIF": (["tau_syn", "tau_mem", "r", "v_leak", "v_threshold"], ["v_reset", "w_in"]),
}
SPIKING = ("IF", "LIF", "CubaLIF")
READING = ("I", "LI", "CubaLI")
NEURONS = SPIKING + READING
LINEAR = ("Affine", "Linear", "Scale", "Conv1d", "Conv2d", "SumPool2d", "AvgPool2d")
MOST_ELEMENTS = 1 << 26


def text_of(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def read(path):
    """The graph of a file, nested ones in one, checked as far as that needs no shapes."""
    module = h5py()
    if not os.path.isfile(path):
        raise Wrong(f"{path}: there is no such file")
    return apart(lambda: read_here(module, path), path)


def read_here(module, path):
    try:
        with module.File(path, "r") as file:
            return from_group(file, path)
    except (OSError, RuntimeError, KeyError, TypeError, ValueError, UnicodeError, AttributeError, MemoryError) as error:
        raise Wrong(f"{path}: it cannot be read as a file of NIR: {' '.join(str(error).split())[:200]}") from None


def apart(call, path):
    """What a call gives, from a process of its own: the library of HDF5 ends the process on some files that are damaged."""
    out, back = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        try:
            try:
                answer = (True, call())
            except Wrong as wrong:
                answer = (False, str(wrong))
            with os.fdopen(back, "wb") as file:
                pickle.dump(answer, file)
        finally:
            os._exit(0)
    os.close(back)
    with os.fdopen(out, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    if not answer:
        raise Wrong(f"{path}: it cannot be read as a file of NIR: the library of HDF5 fails on it")
    is_right, value = pickle.loads(answer)  # of this program
    if not is_right:
        raise Wrong(value)
    return value


def value_of(item, where):
    if item.size is not None and item.size > MOST_ELEMENTS:
        raise Wrong(f"{where}: it has {item.size} elements, and at most {MOST_ELEMENTS} are read")
    value = item[()]
    if isinstance(value, (bytes, str)):
        return text_of(value)
    value = numpy.asarray(value)
    if value.dtype.kind not in "biuf":
        raise Wrong(f"{where}: it has no numbers, but {value.dtype}")
    return value


def from_group(file, path):
    if "node" not in file:
        raise Wrong(f"{path}: there is no group 'node', so this is no file of NIR")
    version = text_of(file["version"][()]) if "version" in file else ""
    graph = read_graph(file["node"], path, "", depth=0)
    graph.version = version
    flat = flattened(graph)
    flat.version = version
    check(flat, path)
    return flat


def read_graph(group, path, name, depth):
    where = f"{path}: graph '{name}'" if name else path
    if depth > 16:
        raise Wrong(f"{where}: graphs are nested more than 16 deep")
    if text_of(group["type"][()]) != "NIRGraph" if "type" in group else True:
        raise Wrong(f"{where}: its type is not NIRGraph")
    for one in ("nodes", "edges"):
        if one not in group:
            raise Wrong(f"{where}: it has no '{one}'")
    nodes = {}
    for key, item in group["nodes"].items():
        inner = f"{path}: node '{key}'"
        if "type" not in item:
            raise Wrong(f"{inner}: it has no field 'type'")
        kind = text_of(item["type"][()])
        if kind == "NIRGraph":
            nodes[key] = read_graph(item, path, key, depth + 1)
            continue
        if kind not in ARRAYS:
            raise Wrong(f"{inner}: there is no node of type '{kind}'; known are {', '.join(sorted(ARRAYS))}")
        needs, may = ARRAYS[kind]
        fields = {}
        for field in needs + may:
            if field in item:
                fields[field] = value_of(item[field], f"{inner}, field '{field}'")
                if isinstance(fields[field], str) and field not in ("padding", "input_shape"):
                    raise Wrong(f"{inner}, of type {kind}, field '{field}': it is numbers, and not '{fields[field][:40]}'")
            elif field in needs:
                raise Wrong(f"{inner}, of type {kind}: it has no field '{field}'")
        nodes[key] = Node(kind, fields)
    edges = group["edges"][()]
    if edges.ndim != 2 or edges.shape[1:] != (2,):
        if edges.size:
            raise Wrong(f"{where}: edges are pairs of names, and these have the shape {edges.shape}")
        edges = edges.reshape(0, 2)
    return Graph(nodes, [(text_of(a), text_of(b)) for a, b in edges])


def flattened(graph, prefix=""):
    """Graphs in graphs become nodes with longer names; what leads to one leads to what its input leads to."""
    nodes, edges, enter, leave = {}, [], {}, {}
    for name, node in graph.nodes.items():
        whole = prefix + name
        if isinstance(node, Graph):
            inner = flattened(node, whole + ".")
            inputs = [one for one, of in inner.nodes.items() if of.type == "Input" and one.count(".") == whole.count(".") + 1]
            outputs = [one for one, of in inner.nodes.items() if of.type == "Output" and one.count(".") == whole.count(".") + 1]
            if len(inputs) != 1 or len(outputs) != 1:
                raise Wrong(f"graph '{whole}': a graph in a graph has one Input and one Output, and this one {len(inputs)} and {len(outputs)}")
            enter[name] = inner.targets(inputs[0])
            leave[name] = inner.sources(outputs[0])
            for one, of in inner.nodes.items():
                if one not in (inputs[0], outputs[0]):
                    nodes[one] = of
            edges += [edge for edge in inner.edges if inputs[0] != edge[0] and outputs[0] != edge[1]]
        else:
            nodes[whole] = node
            enter[name] = leave[name] = [whole]
    for a, b in graph.edges:
        for one in (a, b):
            if one not in graph.nodes:
                raise Wrong(f"edge '{prefix + a}' -> '{prefix + b}': there is no node '{prefix + one}'; there are {', '.join(sorted(graph.nodes))}")
        edges += [(x, y) for x in leave[a] for y in enter[b]]
    return Graph(nodes, edges)


def check(graph, path):
    """Nodes and edges as far as they need no shapes."""
    inputs = [name for name, node in graph.nodes.items() if node.type == "Input"]
    outputs = [name for name, node in graph.nodes.items() if node.type == "Output"]
    if len(inputs) != 1 or len(outputs) != 1:
        raise Wrong(f"{path}: a graph has one Input and one Output, and this one has {len(inputs)} and {len(outputs)}")
    if len(set(graph.edges)) != len(graph.edges):
        graph.notes.append("an edge stands there twice, and counts once")
        graph.edges = list(dict.fromkeys(graph.edges))
    for name, node in graph.nodes.items():
        for field, value in node.fields.items():
            if isinstance(value, str):
                continue
            if value.dtype.kind == "f" and not numpy.isfinite(value).all():
                raise Wrong(f"node '{name}', field '{field}': it has numbers that are not finite")
        if node.type == "Input" and graph.sources(name):
            raise Wrong(f"node '{name}': nothing leads to an Input, and '{graph.sources(name)[0]}' does")
        if node.type == "Output" and graph.targets(name):
            raise Wrong(f"node '{name}': an Output leads to nothing, and this one to '{graph.targets(name)[0]}'")
        if node.type != "Output" and not graph.targets(name):
            raise Wrong(f"node '{name}': it leads to nothing; a graph ends in its Output")
        if node.type != "Input" and not graph.sources(name):
            raise Wrong(f"node '{name}': nothing leads to it")
    seen, todo = set(), [inputs[0]]
    while todo:
        for one in graph.targets(todo.pop()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    if outputs[0] not in seen:
        raise Wrong(f"node '{outputs[0]}': no way leads from the Input to it")


def pair(value, name, field, least):
    value = numpy.asarray(value).reshape(-1)
    if value.size not in (1, 2) or (value.dtype.kind == "f" and (value != numpy.floor(value)).any()) or (value < least).any():
        raise Wrong(f"node '{name}', field '{field}': it is one or two whole numbers from {least} on, and not {value.tolist()}")
    return (int(value[0]), int(value[-1]))


@dataclasses.dataclass
class Window:
    """As layers::Window has it."""

    in_height: int
    in_width: int
    height: int
    width: int
    stride: tuple
    padding: tuple
    dilation: tuple = (1, 1)

    def out(self):
        return tuple(
            (i + 2 * p - d * (k - 1) - 1) // s + 1 if i + 2 * p >= d * (k - 1) + 1 else 0
            for i, k, s, p, d in zip((self.in_height, self.in_width), (self.height, self.width), self.stride, self.padding, self.dilation))


def window_of(name, node, in_shape):
    """Of a convolution or a pool over (channels, height, width); of Conv1d the height is 1."""
    fields = node.fields
    if node.type.endswith("Pool2d"):
        kernel = pair(fields["kernel_size"], name, "kernel_size", 1)
        stride, dilation = pair(fields["stride"], name, "stride", 1), (1, 1)
        padding = fields["padding"]
    else:
        kernel = fields["weight"].shape[2:]
        stride, dilation = pair(fields["stride"], name, "stride", 1), pair(fields["dilation"], name, "dilation", 1)
        padding = fields["padding"]
        if node.type == "Conv1d":
            kernel, stride, dilation = (1, kernel[0]), (1, stride[1]), (1, dilation[1])
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise Wrong(f"node '{name}', field 'padding': it is numbers, 'same' or 'valid', and not '{padding}'")
        if padding == "same":
            if stride != (1, 1):
                raise Wrong(f"node '{name}', field 'padding': 'same' goes with a stride of 1, and this is {stride}")
            whole = [d * (k - 1) for k, d in zip(kernel, dilation)]
            if any(one % 2 for one in whole):
                raise Wrong(f"node '{name}', field 'padding': 'same' of a kernel of {kernel} pads more on one side; pad with numbers")
            padding = tuple(one // 2 for one in whole)
        else:
            padding = (0, 0)
    else:
        padding = pair(padding, name, "padding", 0)
        if node.type == "Conv1d":
            padding = (0, padding[1])
    return Window(in_shape[1], in_shape[2], kernel[0], kernel[1], stride, padding, dilation)


def size(shape):
    return int(numpy.prod(shape, dtype=numpy.int64)) if shape else 1


def of_shape(name, field, value, shape):
    """A parameter for each element: one for all, or as many as there are, or by channel."""
    value = numpy.asarray(value, numpy.float64)
    if value.size == 1:
        return numpy.full(size(shape), float(value.reshape(-1)[0]))
    if value.size == size(shape):
        return value.reshape(-1)
    try:
        return numpy.broadcast_to(value, shape).reshape(-1)
    except ValueError:
        raise Wrong(f"node '{name}', field '{field}': its shape {value.shape} does not fit the {size(shape)} elements of shape {tuple(shape)} that come to it") from None


def out_shape(name, node, shape):
    """What a node makes of what comes to it."""
    fields, kind = node.fields, node.type

    def refuse(why):
        raise Wrong(f"node '{name}', of type {kind}: {why}")

    if kind in ("Affine", "Linear"):
        weight = fields["weight"]
        if weight.ndim != 2:
            refuse(f"field 'weight' has two dimensions, and this {weight.ndim}")
        if size(shape) != weight.shape[1]:
            refuse(f"field 'weight' of shape {weight.shape} takes {weight.shape[1]} elements, and what comes to it has the shape {tuple(shape)}")
        if kind == "Affine" and fields["bias"].size not in (1, weight.shape[0]):
            refuse(f"field 'bias' has {fields['bias'].size} elements, and field 'weight' {weight.shape[0]} rows")
        return (weight.shape[0],)
    if kind in ("Conv1d", "Conv2d"):
        weight = fields["weight"]
        dimensions = 3 if kind == "Conv1d" else 4
        if weight.ndim != dimensions:
            refuse(f"field 'weight' has {dimensions} dimensions, and this {weight.ndim}")
        groups = fields["groups"].reshape(-1)
        if groups.size != 1 or groups[0] < 1 or weight.shape[0] % groups[0]:
            refuse(f"field 'groups' divides the {weight.shape[0]} channels that it puts out, and is {groups.tolist()}")
        groups = int(groups[0])
        if "input_shape" in fields and not isinstance(fields["input_shape"], str) and fields["input_shape"].size:
            given = tuple(int(one) for one in fields["input_shape"].reshape(-1))
            if len(shape) and size(shape) != weight.shape[1] * groups * size(given):
                refuse(f"field 'input_shape' is {given}, and what comes to it has the shape {tuple(shape)}")
            shape = (weight.shape[1] * groups,) + given
        if len(shape) != dimensions - 1 or shape[0] != weight.shape[1] * groups:
            refuse(f"field 'weight' of shape {weight.shape} with {groups} groups takes {weight.shape[1] * groups} channels, and what comes to it has the shape {tuple(shape)}")
        if fields["bias"].size not in (1, weight.shape[0]):
            refuse(f"field 'bias' has {fields['bias'].size} elements, and field 'weight' {weight.shape[0]} channels")
        image = shape if kind == "Conv2d" else (shape[0], 1, shape[1])
        out = window_of(name, node, image).out()
        if size(out) == 0:
            refuse(f"its kernel is larger than what comes to it, of shape {tuple(shape)}")
        return (weight.shape[0],) + (out if kind == "Conv2d" else out[1:])
    if kind in ("SumPool2d", "AvgPool2d"):
        if len(shape) != 3:
            refuse(f"channels, height and width come to it, and not the shape {tuple(shape)}")
        out = window_of(name, node, shape).out()
        if size(out) == 0:
            refuse(f"its window is larger than what comes to it, of shape {tuple(shape)}")
        return (shape[0],) + out
    if kind == "Flatten":
        given = tuple(int(one) for one in numpy.asarray(fields["input_type"]).reshape(-1))
        if size(given) != size(shape):
            refuse(f"field 'input_type' is {given}, and what comes to it has the shape {tuple(shape)}")
        first = int(numpy.asarray(fields.get("start_dim", 1)).reshape(-1)[0])
        last = int(numpy.asarray(fields.get("end_dim", -1)).reshape(-1)[0])
        first, last = first % max(1, len(given)) if first < 0 else first, last + len(given) if last < 0 else last
        if not 0 <= first <= last < max(1, len(given)):
            if first >= len(given):
                return given
            refuse(f"fields 'start_dim' and 'end_dim' are {first} and {last}, and what comes to it has {len(given)} dimensions")
        return given[:first] + (size(given[first:last + 1]),) + given[last + 1:]
    if kind == "Output":
        given = tuple(int(one) for one in numpy.asarray(fields["shape"]).reshape(-1))
        if size(given) != size(shape):
            refuse(f"field 'shape' is {given}, and what comes to it has the shape {tuple(shape)}")
        return shape
    for field, value in fields.items():
        of_shape(name, field, value, shape)
    return shape


def infer_shapes(graph):
    """From the Input on; of a cycle each node has the shape that its first source has."""
    inputs = next(name for name, node in graph.nodes.items() if node.type == "Input")
    shape = tuple(int(one) for one in numpy.asarray(graph.nodes[inputs].fields["shape"]).reshape(-1))
    if not shape or any(one < 1 for one in shape) or size(shape) > 1 << 20:
        raise Wrong(f"node '{inputs}', field 'shape': it is numbers from 1 on, 2^20 elements at most, and not {shape}")
    graph.nodes[inputs].shape = graph.nodes[inputs].in_shape = shape
    todo = [inputs]
    while todo:
        source = todo.pop(0)
        for name in graph.targets(source):
            node, comes = graph.nodes[name], graph.nodes[source].shape
            if node.in_shape is None:
                if node.type in NEURONS + ("Scale", "Threshold", "Delay"):
                    for value in node.fields.values():
                        value = numpy.asarray(value)
                        if value.ndim and value.size == size(comes) and value.size > 1:
                            if value.shape != tuple(comes) and len(value.shape) > len(comes):
                                comes = value.shape
                node.in_shape, node.shape = tuple(comes), out_shape(name, node, comes)
                todo.append(name)
            elif size(node.in_shape) != size(comes):
                raise Wrong(f"node '{name}': {size(node.in_shape)} elements come to it from '{graph.sources(name)[0]}', and {size(comes)} from '{source}'")
    output = next(node for node in graph.nodes.values() if node.type == "Output")
    given = tuple(int(one) for one in numpy.asarray(output.fields["shape"]).reshape(-1))
    if given != tuple(output.shape):
        graph.notes.append(f"the Output says shape {given}, and {tuple(output.shape)} comes to it: it has as many elements")


def write(graph, path):
    """A file of NIR, with nothing compressed. It stands there whole, or not at all."""
    module = h5py()
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with module.File(beside, "w", libver="earliest") as file:
            file.create_dataset("version", data=(graph.version or "1.0").encode())
            group = file.create_group("node")
            group.create_dataset("type", data=b"NIRGraph")
            strings = module.string_dtype("utf-8")
            group.create_dataset("edges", data=numpy.array(graph.edges, dtype=object).reshape(-1, 2), dtype=strings)
            nodes = group.create_group("nodes")
            for name, node in graph.nodes.items():
                one = nodes.create_group(name)
                one.create_dataset("type", data=node.type.encode())
                for field, value in node.fields.items():
                    one.create_dataset(field, data=value.encode() if isinstance(value, str) else value)
        os.replace(beside, path)
    except OSError as error:
        raise Wrong(f"{path}: it cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(beside)
