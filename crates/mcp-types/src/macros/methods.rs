/// Marker types of request methods: `Name = "method"(Params) -> Result`.
macro_rules! requests {
    ($($(#[$attr:meta])* $name:ident = $method:literal ($params:ty) -> $result:ty;)*) => {
        $(
            $(#[$attr])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $crate::Request for $name {
                const METHOD: &'static str = $method;
                type Params = $params;
                type Result = $result;
            }

            impl $crate::inventory::DescribedMethod for $name {
                const INFO: $crate::inventory::MethodTypes = $crate::inventory::MethodTypes {
                    name: stringify!($name),
                    method: $method,
                    params: std::any::type_name::<$params>,
                    result: Some(std::any::type_name::<$result>),
                };
            }
        )*
    };
}

/// Marker types of notification methods: `Name = "method"(Params)`.
macro_rules! notifications {
    ($($(#[$attr:meta])* $name:ident = $method:literal ($params:ty);)*) => {
        $(
            $(#[$attr])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $crate::Notification for $name {
                const METHOD: &'static str = $method;
                type Params = $params;
            }

            impl $crate::inventory::DescribedMethod for $name {
                const INFO: $crate::inventory::MethodTypes = $crate::inventory::MethodTypes {
                    name: stringify!($name),
                    method: $method,
                    params: std::any::type_name::<$params>,
                    result: None,
                };
            }
        )*
    };
}
