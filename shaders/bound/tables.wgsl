// What stands in `tables`: pairs of materials, materials, faces of walls, weights. Uses `tables` of the kernel that
// includes it, and `scene`.
//#include lib/fine.wgsl
//#include lib/grains.wgsl
//#include lib/walls.wgsl
//#include bound/scene.wgsl

// Whether all grains and walls are of one material, and there is no fluid: the tables need not be read then.
override ONE_MATERIAL: bool = false;

fn table_float(index: u32) -> vec4f {
    return bitcast<vec4f>(tables[index]);
}

fn pair_of(material_a: u32, material_b: u32) -> PairCoefficients {
    if ONE_MATERIAL {
        return scene.only_pair;
    }
    let row = PAIR_VECTORS * (material_a * scene.material_count + material_b);
    return pair_coefficients(
        table_float(row),
        table_float(row + 1u),
        table_float(row + 2u),
        table_float(row + 3u),
        table_float(row + 4u),
    );
}

// Zero for a fixed grain, which nothing moves.
fn inverse_mass(body: Body, radius: f32) -> f32 {
    var of_unit_radius = scene.only_inverse_mass;
    if !ONE_MATERIAL {
        let row = scene.materials_start + body_material(body, scene.remainder_bits);
        of_unit_radius = table_float(row).x;
    }
    return select(of_unit_radius / (radius * radius * radius), 0.0, body_is_fixed(body));
}

fn face_at(index: u32) -> Face {
    let row = scene.faces_start + FACE_VECTORS * index;
    return face_of(
        tables[row],
        tables[row + 1u],
        tables[row + 2u],
        tables[row + 3u],
        tables[row + 4u],
        tables[row + 5u],
        tables[row + 6u],
        tables[row + 7u],
    );
}

// Numbers of a material in `tables`: mass of a grain whose radius is one unit of positions, the same with what
// moves along in a fluid, weight of that, and moment of inertia.
const WEIGHT_MASS: u32 = 0u;
const WEIGHT_MOVING: u32 = 1u;
const WEIGHT_HEAVY: u32 = 2u;
const WEIGHT_TURNING: u32 = 3u;
const WEIGHT_VECTORS: u32 = 4u;

// Of what moves along with a grain, which is only itself where there is no fluid.
fn moving_weight(material: u32) -> Fine {
    if ONE_MATERIAL {
        return Fine(scene.only_weight.x, bitcast<i32>(scene.only_weight.y), false);
    }
    return weight_of(material, WEIGHT_MOVING);
}

fn weight_of(material: u32, which: u32) -> Fine {
    let row = tables[scene.weights_start + WEIGHT_VECTORS * material + which];
    return Fine(row.x, bitcast<i32>(row.y), row.z != 0u);
}
